import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create, type Font } from "fontkit";

const require = createRequire(import.meta.url);

export type Weight = "regular" | "bold";

export interface Face {
  readonly name: string;
  readonly bytes: Buffer;
  readonly has: (codePoint: number) => boolean;
}

/** Drawn in place of a character that none of our fonts has. */
export const missingGlyph = "□";

/** In order of preference: Inter for its look, then DejaVu Sans for more scripts. */
const files: Readonly<Record<Weight, readonly string[]>> = {
  regular: [
    require.resolve("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf"),
    require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
  ],
  bold: [
    require.resolve("@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf"),
    require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"),
  ],
};

/** Read once in a process, because all documents use the same fonts. */
export const faces: Readonly<Record<Weight, readonly Face[]>> = {
  regular: files.regular.map(readFace),
  bold: files.bold.map(readFace),
};

function readFace(file: string): Face {
  const bytes = readFileSync(file);
  const font = create(bytes) as Font;
  return { name: file, bytes, has: (codePoint) => font.hasGlyphForCodePoint(codePoint) };
}

interface Lockfile {
  packages: Record<
    string,
    { version?: string; integrity?: string; resolved?: string; optional?: boolean }
  >;
}
export declare function ensureInstalled(root: string): Promise<boolean>;
export declare function missingPackages(wanted: Lockfile, present: Lockfile): string[];

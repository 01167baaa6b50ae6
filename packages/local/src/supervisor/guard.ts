import { spawn, type ChildProcess } from "node:child_process";
import { Socket } from "node:net";

/**
 * A shell that reads process ids from a pipe and, when the pipe closes, ends the last ones it read:
 * the pipe closes however its writer dies, so nothing outlives a killed supervisor. It costs well
 * under a megabyte and needs nothing of the programs it ends.
 */
const script = `
trap '' INT TERM HUP
pids=
while read -r line; do pids=$line; done
[ -n "$pids" ] || exit 0
kill -TERM $pids
sleep 2
kill -KILL $pids
`;

export interface Guard {
  /** The guard's own process. */
  pid(): number | undefined;
  /** From now on it is these processes that must not outlive this one. */
  watch(pids: readonly number[]): void;
  close(): Promise<void>;
}

export function startGuard(): Guard {
  let watched = "";
  let closing = false;
  let shell = spawnShell();
  shell.once("exit", replace);

  function replace(): void {
    if (closing) return;
    shell = spawnShell();
    shell.once("exit", replace);
    shell.stdin?.write(`${watched}\n`);
  }

  return {
    pid: () => shell.pid,
    watch: (pids) => {
      watched = pids.join(" ");
      shell.stdin?.write(`${watched}\n`);
    },
    close: async () => {
      closing = true;
      if (shell.exitCode !== null || shell.signalCode !== null) return;
      const exited = new Promise((resolve) => shell.once("exit", resolve));
      shell.stdin?.end("\n");
      await exited;
    },
  };
}

function spawnShell(): ChildProcess {
  // A session of its own: a Ctrl-C, or a kill of the whole process group, must not take it along.
  const shell = spawn("sh", ["-c", script], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Writing to one that was just killed fails; its replacement is told again.
  shell.stdin?.on("error", () => undefined);
  shell.on("error", () => undefined);
  // It must not keep alive whom it watches.
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return shell;
}

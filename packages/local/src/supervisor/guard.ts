import { spawn, type ChildProcess } from "node:child_process";
import { Socket } from "node:net";

/**
 * A shell that reads lists of process ids from a pipe. When the pipe closes, the shell ends the
 * processes of the last list. The pipe closes however its writer dies, so no process outlives a
 * killed supervisor. The shell needs well under a megabyte, and no cooperation of the programs.
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
  /** The process id of the shell. */
  pid(): number | undefined;
  /** Replaces the list of processes to end when this process dies. */
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
  // In its own session, so that Ctrl-C or a kill of the process group does not end the shell.
  const shell = spawn("sh", ["-c", script], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Writing to a shell that was just killed fails; its replacement receives the list again.
  shell.stdin?.on("error", () => undefined);
  shell.on("error", () => undefined);
  // The shell must not keep this process alive.
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return shell;
}

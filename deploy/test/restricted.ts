import type { Container, PodSpec } from "kubernetes-types/core/v1.js";

const allowedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** Checks Kubernetes' pod security level `restricted` and rules of our own; lists the broken rules. */
export function findBrokenRules(pod: PodSpec): string[] {
  const security = pod.securityContext;
  const rules: [string, boolean][] = [
    ["does not run as root", security?.runAsNonRoot === true && security.runAsUser !== 0],
    ["uses the runtime's seccomp profile", security?.seccompProfile?.type === "RuntimeDefault"],
    ["uses no namespace of the host", !pod.hostNetwork && !pod.hostPID && !pod.hostIPC],
    ["mounts no service account token", pod.automountServiceAccountToken === false],
    ["mounts allowed volume types only", (pod.volumes ?? []).every(isAllowedVolume)],
  ];
  const broken = rules.filter(([, holds]) => !holds).map(([rule]) => rule);
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  return [...broken, ...containers.flatMap(findBrokenContainerRules)];
}

function isAllowedVolume(volume: object): boolean {
  return Object.keys(volume).every((key) => key === "name" || allowedVolumes.includes(key));
}

function findBrokenContainerRules(container: Container): string[] {
  const { name, securityContext, resources, ports, ...probes } = container;
  const drops = securityContext?.capabilities?.drop ?? [];
  const rules: [string, boolean][] = [
    [
      "cannot gain privileges",
      securityContext?.allowPrivilegeEscalation === false && !securityContext.privileged,
    ],
    [
      "drops all capabilities",
      drops.includes("ALL") && !securityContext?.capabilities?.add?.length,
    ],
    ["has a read-only root file system", securityContext?.readOnlyRootFilesystem === true],
    [
      "does not run as root",
      securityContext?.runAsNonRoot !== false && securityContext?.runAsUser !== 0,
    ],
    ["requests CPU", resources?.requests?.["cpu"] !== undefined],
    ["has a heap of at most half its memory limit", hasSmallHeap(container)],
    [
      "has all three probes",
      !!(probes.livenessProbe && probes.readinessProbe && probes.startupProbe),
    ],
    ["binds no port of the host", !ports?.some(({ hostPort }) => hostPort)],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => `${name} ${rule}`);
}

/** The rest of the memory is for buffers, worker threads and Node itself. */
function hasSmallHeap({ env = [], resources }: Container): boolean {
  const options = env.find(({ name }) => name === "NODE_OPTIONS")?.value ?? "";
  const heap = /--max-old-space-size=(\d+)/.exec(options)?.[1];
  const limit = /^(\d+)Mi$/.exec(String(resources?.limits?.["memory"]))?.[1];
  return 2 * Number(heap) <= Number(limit);
}

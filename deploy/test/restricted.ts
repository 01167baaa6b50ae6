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
    ["has a memory limit", resources?.limits?.["memory"] !== undefined],
    [
      "has all three probes",
      !!(probes.livenessProbe && probes.readinessProbe && probes.startupProbe),
    ],
    ["binds no port of the host", !ports?.some(({ hostPort }) => hostPort)],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => `${name} ${rule}`);
}

import type { Container, PodSpec } from "kubernetes-types/core/v1.js";

const volumesAllowed = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** The rules of Kubernetes' restricted pod security, and some of ours; each that is broken, in words. */
export function restrictionsBroken(pod: PodSpec): string[] {
  const security = pod.securityContext;
  const rules: [string, boolean][] = [
    ["does not run as root", security?.runAsNonRoot === true && security.runAsUser !== 0],
    ["has the runtime's seccomp profile", security?.seccompProfile?.type === "RuntimeDefault"],
    ["keeps off the host", !pod.hostNetwork && !pod.hostPID && !pod.hostIPC],
    ["has no token of the cluster", pod.automountServiceAccountToken === false],
    ["mounts harmless volumes only", (pod.volumes ?? []).every(isHarmless)],
  ];
  const broken = rules.filter(([, holds]) => !holds).map(([rule]) => rule);
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  return [...broken, ...containers.flatMap(containerRulesBroken)];
}

function isHarmless(volume: object): boolean {
  return Object.keys(volume).every((key) => key === "name" || volumesAllowed.includes(key));
}

function containerRulesBroken({ name, securityContext: own, resources, ...rest }: Container) {
  const drops = own?.capabilities?.drop ?? [];
  const rules: [string, boolean][] = [
    ["gains no privileges", own?.allowPrivilegeEscalation === false && !own.privileged],
    ["drops every capability", drops.includes("ALL") && !own?.capabilities?.add?.length],
    ["writes nothing of its own", own?.readOnlyRootFilesystem === true],
    ["does not run as root", own?.runAsNonRoot !== false && own?.runAsUser !== 0],
    ["says what it needs", resources?.requests?.["cpu"] !== undefined],
    ["is bounded", resources?.limits?.["memory"] !== undefined],
    ["is looked after", !!(rest.livenessProbe && rest.readinessProbe && rest.startupProbe)],
    ["binds no port of the host", !rest.ports?.some(({ hostPort }) => hostPort)],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => `${name} ${rule}`);
}

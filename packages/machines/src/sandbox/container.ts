/** Recognizes a boundary that is there already: a container, or the machine of a CI job. */
import { existsSync, readFileSync } from "node:fs";

import { env as readEnv, envFlag, type Env } from "@tau/utils";

/** Services that run each job on a machine or in a container of its own, by a variable that they set. */
const jobVariables: Readonly<Record<string, string>> = {
	GITHUB_ACTIONS: "GitHub Actions",
	GITLAB_CI: "GitLab CI",
	BUILDKITE: "Buildkite",
	CIRCLECI: "CircleCI",
	TF_BUILD: "Azure Pipelines",
	JENKINS_URL: "Jenkins",
	CODESPACES: "Codespaces",
	GITPOD_WORKSPACE_ID: "Gitpod",
};

/** Its name for users; undefined on an ordinary machine. */
export function containerKind(env: Env): string | undefined {
	// A container that shares the user's home, as those of Toolbox do, is not a boundary.
	const named = readEnv("TAU_CONTAINER", env);
	if (named !== undefined && named !== "")
		return /^(?:none|no|off|false|0)$/i.test(named) ? undefined : named;
	if (existsSync("/run/.toolboxenv")) return undefined;
	if (existsSync("/.dockerenv")) return "Docker";
	if (existsSync("/run/.containerenv")) return "Podman";
	if (env.KUBERNETES_SERVICE_HOST !== undefined) return "Kubernetes";
	const manager = /^container=(.*)$/m.exec(
		env.container ? `container=${env.container}` : initVariables(),
	)?.[1];
	if (manager) return manager;
	const job = Object.entries(jobVariables).find(([name]) => env[name] !== undefined && env[name] !== "");
	if (job) return job[1];
	return envFlag("CI", env) ? "CI" : undefined;
}

/** The first process of a container has a variable that names its manager; ours cannot be read by other users. */
function initVariables(): string {
	try {
		return readFileSync("/proc/1/environ", "latin1").replaceAll("\0", "\n");
	} catch {
		return "";
	}
}

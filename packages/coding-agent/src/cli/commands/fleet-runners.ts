/** The places that `tau worker --runner` starts workers in. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Settings } from "@tau/config/settings";
import { dockerCommand, kubernetesRunner, programRunner, type Runner } from "@tau/fleet";
import { openRequest } from "@tau/server/daemon/daemon-client";
import { urlOf } from "@tau/server/fleet/location";
import { ownProgram } from "@tau/server/local/own-program";
import { env, errorText, expandHome, UsageError } from "@tau/utils";

/** Where Kubernetes puts what a pod may use of its API. */
const account = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What a worker in a container needs; their values are taken from this environment. */
const variables = [
	"TAU_FLEET_URL",
	"TAU_FLEET_GATEWAY",
	"TAU_FLEET_GATEWAY_TOKEN",
	"TAU_FLEET_GIT_TOKEN",
	"TAU_FLEET_LEASE_MS",
];

export async function runnerNamed(
	name: string,
	settings: Settings,
	labels: readonly string[],
): Promise<Runner> {
	const worker = ["worker", "--once", ...(labels.length > 0 ? ["--labels", labels.join(",")] : [])];
	const all = openRequest([], "/", process.env).env;
	if (name === "process") return programRunner({ command: () => [...ownProgram(), ...worker], env: all });
	const url = urlOf(settings);
	if (url === undefined)
		throw new UsageError(`--runner ${name} needs a store that its workers reach: set fleet.url.`);
	if (name === "docker") {
		const command = dockerCommand(settings.getWithoutProject("fleet.image"), variables, worker);
		const stop = (container: string): string[] => ["docker", "stop", container];
		return programRunner({ command, stop, env: { ...all, TAU_FLEET_URL: url } });
	}
	const file = settings.getWithoutProject("fleet.template");
	if (file === undefined)
		throw new UsageError(
			"--runner kubernetes needs fleet.template: the file of a Job, a Sandbox or a SandboxClaim.",
		);
	const template = await readFile(expandHome(file), "utf8").catch((error: unknown) => {
		throw new UsageError(`fleet.template: ${errorText(error)}`);
	});
	return kubernetesRunner({ ...(await clusterOf()), labels, template });
}

/** Of the pod that this runs in, or of `kubectl proxy`. */
async function clusterOf() {
	const namespace = env("TAU_KUBERNETES_NAMESPACE");
	const proxy = env("TAU_KUBERNETES_API");
	if (proxy !== undefined) return { url: proxy, namespace: namespace ?? "default" };
	const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = process.env;
	if (!host)
		throw new UsageError(
			"--runner kubernetes runs in a pod, or with TAU_KUBERNETES_API=http://127.0.0.1:8001 (kubectl proxy).",
		);
	const read = async (name: string): Promise<string> => await readFile(join(account, name), "utf8");
	const [ca, own] = await Promise.all([read("ca.crt"), read("namespace")]);
	const token = async (): Promise<string> => await read("token");
	return { url: `https://${host}:${port}`, token, ca, namespace: namespace ?? own ?? "default" };
}

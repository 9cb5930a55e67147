/** Runs each worker as a Job of Kubernetes, or in a sandbox of agent-sandbox, made from a template, and removes it when it has ended. */
import { delay, errorText, isRecord, UsageError } from "@tau/utils";

import { limits } from "../limits.ts";
import type { Runner } from "./dispatch.ts";

export interface KubernetesOptions {
	/** The API server: https://kubernetes.default.svc, or what `kubectl proxy` prints. */
	readonly url: string;
	/** Read for each request, because the cluster replaces it every hour; absent behind `kubectl proxy`. */
	readonly token?: (() => Promise<string>) | undefined;
	/** The certificate of the cluster, as PEM. */
	readonly ca?: string | undefined;
	readonly namespace: string;
	/** What its workers take; added to the arguments of the template's first container. */
	readonly labels?: readonly string[];
	/** The text of a Job, a Sandbox or a SandboxClaim in YAML. */
	readonly template: string;
}

/** What a template may be, with the group of its API and the name in paths. */
const kinds = {
	Job: { group: "batch", plural: "jobs" },
	Sandbox: { group: "agents.x-k8s.io", plural: "sandboxes" },
	SandboxClaim: { group: "extensions.agents.x-k8s.io", plural: "sandboxclaims" },
} as const;

interface Template {
	readonly kind: keyof typeof kinds;
	readonly apiVersion: string;
	readonly fields: Record<string, unknown>;
}

/** A sandbox says with this which pod is its own, where that has another name. */
const podAnnotation = "agents.x-k8s.io/pod-name";

/** Throws a `UsageError` if the template is none of the kinds, or has no container that could get the labels. */
export function kubernetesRunner(options: KubernetesOptions): Runner {
	const template = readTemplate(options.template);
	addLabels(template, options.labels ?? []);
	const cluster = new Cluster(options);
	const { kind, apiVersion, fields } = template;
	const resources = cluster.path(`/apis/${apiVersion}`, kinds[kind].plural);
	return {
		async run(name, signal) {
			const metadata = isRecord(fields.metadata) ? fields.metadata : {};
			await cluster.call("POST", resources, {
				...fields,
				metadata: { ...metadata, name, namespace: options.namespace },
			});
			const made = `${resources}/${name}`;
			try {
				const outcome = kind === "Job" ? jobOutcome : sandboxOutcome(cluster, template);
				await untilEnded(async () => {
					const resource = await untilAnswered(() => cluster.find(resources, name));
					// Somebody has deleted it.
					return resource === undefined || (await outcome(resource));
				}, signal);
			} finally {
				// Its pods go with it; a worker that still runs hands its task over.
				await untilAnswered(() => cluster.remove(made));
			}
		},
	};
}

function readTemplate(text: string): Template {
	const fields: unknown = Bun.YAML.parse(text);
	if (isRecord(fields) && isRecord(fields.spec)) {
		const { kind, apiVersion = "batch/v1" } = fields;
		const known = Object.keys(kinds).find((each): each is keyof typeof kinds => each === kind);
		if (known && typeof apiVersion === "string" && apiVersion.startsWith(`${kinds[known].group}/v`))
			return { kind: known, apiVersion, fields };
	}
	throw new UsageError(
		"fleet.template: the file is not a Job of Kubernetes (kind: Job), nor a Sandbox or SandboxClaim of agent-sandbox. deploy/k8s has one of each.",
	);
}

/** Jobs and Sandboxes have the pod; a claim takes one from a pool whose template has its labels. */
function addLabels({ kind, fields }: Template, labels: readonly string[]): void {
	if (labels.length === 0) return;
	const pod = fieldOf(fieldOf(fields, "spec"), kind === "Job" ? "template" : "podTemplate");
	const { containers } = fieldOf(pod, "spec");
	const [first]: unknown[] = Array.isArray(containers) ? containers : [];
	if (!isRecord(first) || !Array.isArray(first.args))
		throw new UsageError(
			`--labels: the template of a ${kind} has no container with args that could get them. Write them into the template of the pod, and start this without --labels.`,
		);
	first.args = [...first.args, "--labels", labels.join(",")];
}

/** True when it has succeeded; throws when it has failed. */
type Outcome = (resource: unknown) => boolean | Promise<boolean>;

/** An API server that is away for a moment is no reason to lose a worker. Rejects with what it has refused. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
	for (let attempt = 1; ; attempt++)
		try {
			return await ask();
		} catch (error) {
			if (!(error instanceof Away) || attempt === limits.kubernetesAttempts) throw error;
			await delay(limits.kubernetesPollMs);
		}
}

async function untilEnded(isOver: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
	while (!signal.aborted && !(await isOver())) await delay(limits.kubernetesPollMs, signal).catch(() => {});
}

const jobOutcome: Outcome = (job) => {
	const status = fieldOf(job, "status");
	if (Number(status.failed ?? 0) > 0) throw new Error("The Job has failed. kubectl logs shows why.");
	return Number(status.succeeded ?? 0) > 0;
};

/** A sandbox has no end of its own: its worker has ended when its pod has. */
function sandboxOutcome(cluster: Cluster, { kind, apiVersion }: Template): Outcome {
	const version = apiVersion.slice(apiVersion.lastIndexOf("/") + 1);
	const sandboxes = cluster.path(`/apis/${kinds.Sandbox.group}/${version}`, kinds.Sandbox.plural);
	return async (resource) => {
		const sandbox = kind === "Sandbox" ? resource : await ofClaim(cluster, sandboxes, resource);
		if (sandbox === undefined) return false;
		const { name, annotations } = fieldOf(sandbox, "metadata");
		const named = isRecord(annotations) ? annotations[podAnnotation] : undefined;
		const pod = await cluster.find(cluster.path("/api/v1", "pods"), String(named ?? name ?? ""));
		const { phase } = fieldOf(pod, "status");
		if (phase === "Failed") throw new Error("The pod of the sandbox has failed. kubectl logs shows why.");
		return phase === "Succeeded";
	};
}

/** The sandbox that a claim has got; undefined while it has none. */
async function ofClaim(cluster: Cluster, sandboxes: string, claim: unknown): Promise<unknown> {
	const { sandbox } = fieldOf(claim, "status");
	const { name } = fieldOf(claim, "metadata");
	const given = isRecord(sandbox) ? (sandbox.name ?? sandbox.Name) : undefined;
	return await cluster.find(sandboxes, String(given ?? name ?? ""));
}

function fieldOf(resource: unknown, name: string): Record<string, unknown> {
	const value: unknown = isRecord(resource) ? resource[name] : undefined;
	return isRecord(value) ? value : {};
}

class NotFound extends Error {}

/** No response, or one of a server that is overloaded or restarts. */
class Away extends Error {}

class Cluster {
	readonly #options: KubernetesOptions;

	constructor(options: KubernetesOptions) {
		this.#options = options;
	}

	path(api: string, plural: string): string {
		return `${api}/namespaces/${encodeURIComponent(this.#options.namespace)}/${plural}`;
	}

	/** Undefined if there is none (yet). */
	async find(resources: string, name: string): Promise<unknown> {
		return await this.call("GET", `${resources}/${encodeURIComponent(name)}`).catch((error: unknown) => {
			if (error instanceof NotFound) return undefined;
			throw error;
		});
	}

	/** Also if it is gone already. */
	async remove(path: string): Promise<void> {
		await this.call("DELETE", path, { propagationPolicy: "Background" }).catch((error: unknown) => {
			if (!(error instanceof NotFound)) throw error;
		});
	}

	async call(method: string, path: string, body?: object): Promise<unknown> {
		const { url, token, ca } = this.#options;
		const secret = await token?.();
		const response = await fetch(`${url.replace(/\/+$/, "")}${path}`, {
			method,
			headers: {
				accept: "application/json",
				...(body ? { "content-type": "application/json" } : {}),
				...(secret === undefined ? {} : { authorization: `Bearer ${secret.trim()}` }),
			},
			...(body ? { body: JSON.stringify(body) } : {}),
			...(ca === undefined ? {} : { tls: { ca } }),
			signal: AbortSignal.timeout(limits.gatewayMs),
		}).catch((error: unknown) => {
			throw new Away(`The API server ${url} does not answer: ${errorText(error)}`);
		});
		const answer: unknown = await response.json().catch(() => undefined);
		if (response.ok) return answer;
		const reason =
			isRecord(answer) && typeof answer.message === "string" ? answer.message : `status ${response.status}`;
		const problem = `Kubernetes refuses ${method} ${path}: ${reason}`;
		if (response.status === 404) throw new NotFound(problem);
		throw response.status === 429 || response.status >= 500 ? new Away(problem) : new Error(problem);
	}
}

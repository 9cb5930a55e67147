/** Runs each worker as a Job of Kubernetes, or in a sandbox of agent-sandbox, made from a template, and removes it when it has ended. */
import { delay, errorText, isRecord, UsageError } from "@tau/utils";

import { limits } from "../limits.ts";
import type { Runner } from "./dispatch.ts";

export interface KubernetesOptions {
	/** The API server: https://kubernetes.default.svc, or what `kubectl proxy` prints. */
	readonly url: string;
	/** Absent behind `kubectl proxy`. */
	readonly token?: string | undefined;
	/** The certificate of the cluster, as PEM. */
	readonly ca?: string | undefined;
	readonly namespace: string;
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

/** Throws a `UsageError` if the template is none of the kinds. */
export function kubernetesRunner(options: KubernetesOptions): Runner {
	const template = readTemplate(options.template);
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
				await untilEnded(async () => outcome(await cluster.call("GET", made)), signal);
			} finally {
				// Its pods go with it; a worker that still runs hands its task over.
				await cluster.call("DELETE", made, { propagationPolicy: "Background" });
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

/** True when it has succeeded; throws when it has failed. */
type Outcome = (resource: unknown) => boolean | Promise<boolean>;

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

	async call(method: string, path: string, body?: object): Promise<unknown> {
		const { url, token, ca } = this.#options;
		const response = await fetch(`${url.replace(/\/+$/, "")}${path}`, {
			method,
			headers: {
				accept: "application/json",
				...(body ? { "content-type": "application/json" } : {}),
				...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
			},
			...(body ? { body: JSON.stringify(body) } : {}),
			...(ca === undefined ? {} : { tls: { ca } }),
			signal: AbortSignal.timeout(limits.gatewayMs),
		}).catch((error: unknown) => {
			throw new Error(`The API server ${url} does not answer: ${errorText(error)}`);
		});
		const answer: unknown = await response.json().catch(() => undefined);
		if (response.ok) return answer;
		const reason =
			isRecord(answer) && typeof answer.message === "string" ? answer.message : `status ${response.status}`;
		const problem = `Kubernetes refuses ${method} ${path}: ${reason}`;
		throw response.status === 404 ? new NotFound(problem) : new Error(problem);
	}
}

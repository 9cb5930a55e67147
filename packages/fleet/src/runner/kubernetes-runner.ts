/** Runs each worker as a Job of Kubernetes, made from a template, and removes the Job when it has ended. */
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
	/** The text of a Job in YAML. */
	readonly template: string;
}

/** Throws a `UsageError` if the template is no Job. */
export function kubernetesRunner(options: KubernetesOptions): Runner {
	const job = readTemplate(options.template);
	const jobs = `/apis/batch/v1/namespaces/${encodeURIComponent(options.namespace)}/jobs`;
	return {
		async run(name, signal) {
			const metadata = isRecord(job.metadata) ? job.metadata : {};
			await call(options, "POST", jobs, {
				...job,
				metadata: { ...metadata, name, namespace: options.namespace },
			});
			try {
				await untilEnded(options, `${jobs}/${name}`, signal);
			} finally {
				// Its pods go with it; a worker that still runs hands its task over.
				await call(options, "DELETE", `${jobs}/${name}`, { propagationPolicy: "Background" });
			}
		},
	};
}

function readTemplate(text: string): Record<string, unknown> {
	const job: unknown = Bun.YAML.parse(text);
	if (isRecord(job) && job.kind === "Job" && isRecord(job.spec)) return job;
	throw new UsageError(
		"fleet.template: the file is not a Job of Kubernetes (kind: Job). deploy/k8s/job.yml is one.",
	);
}

async function untilEnded(options: KubernetesOptions, path: string, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		const job = await call(options, "GET", path);
		const status = isRecord(job) && isRecord(job.status) ? job.status : {};
		if (Number(status.succeeded ?? 0) > 0) return;
		if (Number(status.failed ?? 0) > 0) throw new Error("The Job has failed. kubectl logs shows why.");
		await delay(limits.kubernetesPollMs, signal).catch(() => {});
	}
}

async function call(
	{ url, token, ca }: KubernetesOptions,
	method: string,
	path: string,
	body?: object,
): Promise<unknown> {
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
	throw new Error(`Kubernetes refuses ${method} ${path}: ${reason}`);
}

/** Keys of the gateway for tasks: each session gets one of its own, with what is left of the task's budget. */
import { errorText, isRecord, log, withoutProviderKeys } from "@tau/utils";

import { limits } from "../limits.ts";
import { budgetLeft, type Task } from "../task.ts";

/** What a session is started with. */
export interface SessionKeys {
	readonly env: Record<string, string>;
	readonly argv: readonly string[];
	readonly apiKey?: string;
	/** The key is of no use afterwards. */
	release(): Promise<void>;
}

export interface GatewayOptions {
	readonly url: string;
	/** Of the gateway itself; it stays in the worker. */
	readonly token: string;
	readonly env: Record<string, string>;
}

/** Rejects with the reason if the gateway gives none. */
export async function keyFromGateway({ url, token, env }: GatewayOptions, task: Task): Promise<SessionKeys> {
	const left = budgetLeft(task);
	const body = {
		name: `task ${task.id}`,
		expires: `${limits.keyHours}h`,
		...(left === undefined ? {} : { budget: `${left.toFixed(4)}/day,${left.toFixed(4)}/month` }),
	};
	const base = url.replace(/\/+$/, "");
	const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
	const request = async (path: string, init: RequestInit): Promise<Response> =>
		await fetch(`${base}${path}`, { ...init, headers, signal: AbortSignal.timeout(limits.gatewayMs) });
	const response = await request("/v1/keys", { method: "POST", body: JSON.stringify(body) });
	const made: unknown = response.ok ? await response.json() : undefined;
	if (!isRecord(made) || typeof made.key !== "string" || typeof made.id !== "string")
		throw new Error(`fleet.gateway: ${base} gave no key (status ${response.status}).`);
	const { id } = made;
	return {
		env: { ...withoutProviderKeys(env) },
		argv: ["--base-url", base],
		apiKey: made.key,
		async release() {
			try {
				await request(`/v1/keys/${id}`, { method: "DELETE" });
			} catch (error) {
				// It ends by itself.
				log.warn("the key of a task was not revoked", { id, reason: errorText(error) });
			}
		},
	};
}

/** Asks a broker over HTTP. Every request has a time limit, and every failure is an error that says what to do. */
import { cutUnits, maskSecrets, oneLine, version, withTimeout, type Env } from "@tau/utils";

import { isObject, parseObject, string, type Json } from "../../json.ts";
import { limits as packageLimits } from "../../limits.ts";
import { connectionTo } from "../../transport/connection.ts";
import { CredentialError } from "../types.ts";
import type { BrokerAccess } from "./access.ts";
import { brokerLimits } from "./limits.ts";

export type BrokerProblem =
	/** It is away, too slow or out of order: a later attempt may help. */
	| "unreachable"
	/** It does not accept the token. */
	| "denied"
	/** It has no such credential, or cannot renew it. */
	| "refused"
	/** What answers is no broker. */
	| "invalid";

export class BrokerError extends CredentialError {
	override name = "BrokerError";
	readonly problem: BrokerProblem;

	constructor(problem: BrokerProblem, message: string) {
		super(message, false);
		this.problem = problem;
	}
}

export interface BrokerRequest {
	method?: "GET" | "POST" | "DELETE";
	body?: unknown;
	/** The generation that is known already. */
	known?: number | undefined;
	timeoutMs: number;
	signal?: AbortSignal | undefined;
}

export class BrokerClient {
	readonly #access: Pick<BrokerAccess, "url" | "token">;
	readonly #env: Env;

	constructor(access: Pick<BrokerAccess, "url" | "token">, env: Env) {
		this.#access = access;
		this.#env = env;
	}

	/** Undefined if nothing has changed since the known generation. Throws a `BrokerError`. */
	async ask(path: string, request: BrokerRequest): Promise<Json | undefined> {
		const { url, token } = this.#access;
		const { method = "GET", body, known, timeoutMs, signal } = request;
		const connection = await connectionTo(url, this.#env);
		if ("problem" in connection) throw this.#away(connection.problem);
		using deadline = withTimeout(signal, timeoutMs, "it did not answer in time");
		let response: Response;
		let text: string;
		try {
			response = await fetch(url + path, {
				method,
				headers: {
					accept: "application/json",
					authorization: `Bearer ${token}`,
					"user-agent": `tau/${version}`,
					...(known === undefined ? {} : { "if-none-match": `"${known}"` }),
					...(body === undefined ? {} : { "content-type": "application/json" }),
				},
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
				...connection.init,
				// The token goes to no other server.
				redirect: "error",
				signal: deadline.signal,
			});
			text = await readBounded(response);
		} catch (error) {
			signal?.throwIfAborted();
			const reason = error instanceof Error ? error.message : String(error);
			throw this.#away(reason.replace(enginesAdvice, ""));
		}
		return this.#read(response, text);
	}

	#read({ status, ok }: Response, text: string): Json | undefined {
		const { url } = this.#access;
		if (status === 304) return undefined;
		if (status === 401 || status === 403)
			throw new BrokerError(
				"denied",
				`The auth broker ${url} does not accept the token (HTTP ${status}). Run tau auth-broker token on its host, and set TAU_AUTH_BROKER_TOKEN or auth.broker.token.`,
			);
		if (status >= 500) throw this.#away(this.#reason(text) ?? `HTTP ${status}`);
		const body = parseObject(text);
		if (!ok)
			throw new BrokerError(
				"refused",
				this.#reason(text) ?? `The auth broker ${url} answered HTTP ${status}.`,
			);
		if (!body)
			throw new BrokerError(
				"invalid",
				`What answers at ${url} is not an auth broker. Check TAU_AUTH_BROKER_URL or auth.broker.url.`,
			);
		return body;
	}

	#away(reason: string): BrokerError {
		const { url } = this.#access;
		return new BrokerError(
			"unreachable",
			`Cannot reach the auth broker ${url}: ${clean(reason)}. Check that tau auth-broker serve runs there.`,
		);
	}

	/** What a broker says of an error, `{ "error": "…" }`, is one line without secrets. */
	#reason(text: string): string | undefined {
		const error = parseObject(text)?.error;
		const message = isObject(error) ? string(error.message) : string(error);
		return message === "" ? undefined : clean(message);
	}
}

/** The engine's own, for people who develop with it. */
const enginesAdvice = /\. Is the computer able to access the url\?$/;

function clean(text: string): string {
	return oneLine(
		maskSecrets(cutUnits(text, packageLimits.errorBodyBytes)),
		packageLimits.errorMessageChars,
	).replace(/\.$/, "");
}

async function readBounded(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > brokerLimits.answerBytes) throw new Error("its answer is too long");
	}
	return text + decoder.decode();
}

/** Requests to the small services that provide credentials: bounded in time and size, without redirects. */
import { withTimeout } from "@tau/utils";
import { limits } from "./limits.ts";
import { Unreachable, Unusable } from "./unusable.ts";

export interface Question {
	method?: "GET" | "POST" | "PUT";
	headers?: Record<string, string>;
	body?: string;
	timeoutMs?: number;
	/** For services on the machine itself, which no proxy can reach. */
	direct?: boolean;
}

export interface Reply {
	ok: boolean;
	status: number;
	text: string;
}

export async function ask(url: string, question: Question = {}): Promise<Reply> {
	if (!URL.canParse(url)) throw new Unusable(`"${url}" is not a valid URL`);
	const { method = "GET", headers = {}, body, timeoutMs = limits.askMs, direct = false } = question;
	const { host } = new URL(url);
	using deadline = withTimeout(undefined, timeoutMs, `No answer within ${timeoutMs} ms`);
	try {
		const response = await fetch(url, {
			method,
			headers,
			...(body === undefined ? {} : { body }),
			...(direct ? { proxy: false } : {}),
			signal: deadline.signal,
			// Following a redirect would hand the tokens to any server that is named.
			redirect: "manual",
		} satisfies BunFetchRequestInit);
		return { ok: response.ok, status: response.status, text: await bounded(response, host) };
	} catch (error) {
		if (error instanceof Unusable) throw error;
		throw new Unreachable(`Cannot reach ${host}: ${error instanceof Error ? error.message : String(error)}`);
	}
}

async function bounded(response: Response, host: string): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > limits.answerBytes) {
			throw new Unusable(`${host} answered with more than ${limits.answerBytes} bytes`);
		}
	}
	return text;
}

/** Sends one order to a service: within bounds, to its address alone, with errors that name it. */
import { connectionTo } from "@tau/ai";
import { isTimeout, maskKnownSecrets, oneLine, withTimeout } from "@tau/utils";

import { readBody } from "@tau/tools/fetch";
import { firstText, parseJson } from "@tau/tools/json";
import type { ServiceAccess } from "@tau/tools/tool";
import { limits } from "./limits.ts";
import type { ImageOrder, ImageService } from "./services.ts";

/** Why there is no image, as a sentence for the model. */
export class ImageProblem extends Error {}

/** The answer's JSON. Rejects with an `ImageProblem`, or with the reason of the signal. */
export async function order(
	service: ImageService,
	wanted: ImageOrder,
	{ key, baseUrl = "", headers }: ServiceAccess,
	signal: AbortSignal,
): Promise<unknown> {
	const { label } = service;
	using deadline = withTimeout(signal, limits.requestMs, "no answer");
	try {
		const url = `${baseUrl.replace(/\/+$/, "")}${service.path(wanted)}`;
		const connection = await connectionTo(url);
		if ("problem" in connection) throw new ImageProblem(connection.problem);
		const response = await fetch(url, {
			method: "POST",
			headers: {
				...headers,
				...(key === "" ? {} : service.authorize(key)),
				Accept: "application/json",
				"Accept-Encoding": "gzip, deflate",
				"Content-Type": "application/json",
			},
			body: JSON.stringify(service.body(wanted)),
			signal: deadline.signal,
			// Following a redirect would hand the key to any server that is named.
			redirect: "manual",
			decompress: false,
			...connection.init,
		} satisfies BunFetchRequestInit);
		const body = await readBody(response, limits.bodyBytes, deadline.signal);
		if (!body.ok) throw new ImageProblem(`${label}: ${body.message}`);
		if (body.truncated)
			throw new ImageProblem(`${label} sent more than ${limits.bodyBytes / 1024 / 1024} MB.`);
		const text = new TextDecoder().decode(body.bytes);
		const json = parseJson(text);
		if (response.ok) return json;
		const stated = firstText(json, "error.message", "error", "message", "detail") || text.trim();
		const reason = oneLine(maskKnownSecrets(stated), limits.errorChars);
		throw new ImageProblem(`${label} API error (${response.status})${reason === "" ? "" : `: ${reason}`}`);
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof ImageProblem) throw error;
		if (isTimeout(error))
			throw new ImageProblem(`${label} did not answer within ${limits.requestMs / 1000} s.`);
		const { code, message } = error as NodeJS.ErrnoException;
		const reason = oneLine(maskKnownSecrets(code ?? message), limits.errorChars);
		throw new ImageProblem(`Cannot reach ${label}: ${reason}.`);
	}
}

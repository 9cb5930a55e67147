/** The user's own way to share: `share.ts`, `share.js` or `share.mjs` beside their settings, called with a page. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { errorText, isRecord, shortenHome } from "@tau/utils";

export interface HandledShare {
	readonly url?: string;
	readonly message?: string;
}

export function shareHandler(agentDir: string): string | undefined {
	return ["share.ts", "share.js", "share.mjs"]
		.map((name) => join(agentDir, name))
		.find((path) => existsSync(path));
}

/** Rejects if the handler fails: then nothing else is tried. */
export async function callHandler(file: string, page: string): Promise<HandledShare> {
	const failed = (reason: string): Error =>
		new Error(`${shortenHome(file)} failed: ${reason}. Nothing else was tried.`);
	let result: unknown;
	try {
		const module: unknown = await import(pathToFileURL(file).href);
		const handle = isRecord(module) ? module.default : undefined;
		if (typeof handle !== "function") throw new Error("it has no default function");
		result = await handle(page);
	} catch (error) {
		throw failed(errorText(error));
	}
	if (result === undefined) return {};
	if (typeof result === "string") return { url: result };
	if (!isRecord(result)) throw failed("it returned neither an address nor { url, message }");
	const { url, message } = result;
	return {
		...(typeof url === "string" ? { url } : {}),
		...(typeof message === "string" ? { message } : {}),
	};
}

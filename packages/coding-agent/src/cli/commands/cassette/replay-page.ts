/** A recording as a page that plays it: written to a file, or shown in the browser until the user ends it. */
import { writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";

import { promptsOf, recordingOf, type Cassette, type Timeline } from "@tau/cassette";
import { openBrowser } from "@tau/session-commands/shared";
import { documentPage } from "@tau/session/share";
import { errorCode, expandHome, oneLine, UsageError } from "@tau/utils";
import { recordingFormat, recordingVersion } from "@tau/wire/share";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { printed } from "../sessions/output.ts";

const titleChars = 90;

export async function playInBrowser(
	args: Args,
	cassette: Cassette,
	timeline: Timeline,
	signal: AbortSignal,
): Promise<number> {
	const [file = ""] = args.operands;
	const [prompt = ""] = promptsOf(cassette).first;
	const { head } = cassette;
	const page = await documentPage({
		format: recordingFormat,
		version: recordingVersion,
		createdAt: head.madeAt,
		program: head.facts.tau,
		title: oneLine(prompt, titleChars) || basename(file),
		masked: head.masked,
		recorded: recordingOf(cassette, timeline),
	});
	const output = args.flags.get("output");
	if (output !== undefined) return await write(resolve(expandHome(output)), page);
	return await serve(page, !args.flags.has("no-open"), signal);
}

async function write(path: string, page: string): Promise<number> {
	try {
		await writeFile(path, page, { flag: "wx", mode: 0o600 });
	} catch (error) {
		if (errorCode(error) === "EEXIST")
			throw new UsageError(`${path} already exists. Remove it, or choose another file name.`);
		throw new UsageError(`Cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`);
	}
	return await printed(`${path}\n`);
}

/** Serves only this page, only on this machine and only with the link: a recording may be private. */
async function serve(page: string, isOpened: boolean, signal: AbortSignal): Promise<number> {
	const secret = crypto.getRandomValues(new Uint8Array(16)).toHex();
	const headers = {
		"content-type": "text/html; charset=utf-8",
		"cache-control": "no-store",
		"referrer-policy": "no-referrer",
		"x-content-type-options": "nosniff",
		"cross-origin-resource-policy": "same-origin",
		"content-security-policy": "frame-ancestors 'none'",
	};
	await using server: Bun.Server<undefined> = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch(request): Response {
			const { pathname } = new URL(request.url);
			const isMeant = request.method === "GET" && pathname === `/${secret}`;
			// Another name for this address would be that of a page which wants to read it.
			const isHere = request.headers.get("host") === server.url.host;
			return isMeant && isHere
				? new Response(page, { headers })
				: new Response("Not found.", { status: 404, headers: { "content-type": "text/plain" } });
		},
	});
	const link = `${server.url.origin}/${secret}`;
	const isShown = isOpened && openBrowser(link, process.env);
	await printed(
		`${isShown ? "Opened in your browser" : "Open this link"}:\n\n  ${link}\n\nCtrl+C ends it.\n`,
	);
	const ended = Promise.withResolvers<void>();
	signal.addEventListener("abort", () => ended.resolve(), { once: true });
	if (!signal.aborted) await ended.promise;
	return exitCodes.answered;
}

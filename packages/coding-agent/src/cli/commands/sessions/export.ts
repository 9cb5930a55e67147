/** `tau sessions export` and `tau --export`: write a session to a file. */
import { shortenHome, UsageError } from "@tau/utils";
import type { SessionManager } from "@tau/log";
import { exportSession, type ExportFormat } from "@tau/session/export";

import type { Args } from "../../args.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { openCredentials } from "../auth/store.ts";
import { openNamed, sessionDirectory } from "./named.ts";
import { isJson, jsonLine, printed } from "./output.ts";

/** pi's way: `tau --export <session> [file]`. */
export async function runExport(args: Args): Promise<number> {
	const { messages, files, flags } = args;
	const [file, ...more] = messages;
	if (more.length > 0 || files.length > 0) {
		throw new UsageError("Usage: tau --export <id> [file.html]");
	}
	using session = await openNamed(flags.get("export") ?? "", await sessionDirectory(args));
	// Awaited here: the session stays open until the export is written.
	return await exportNamed(args, session, file);
}

export async function exportNamed(
	args: Args,
	session: SessionManager,
	file: string | undefined,
): Promise<number> {
	const format = formats.find((name) => name === args.flags.get("format"));
	let path: string;
	// Stored keys that the session contains are masked: listing them makes them known.
	using store = await openCredentials(await loadSettings(args));
	store.list();
	try {
		path = await exportSession(session, { file, format });
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
	return printed(isJson(args) ? jsonLine({ file: path }) : `${shortenHome(path)}\n`);
}

const formats: readonly ExportFormat[] = ["html", "md", "json", "ipynb"];

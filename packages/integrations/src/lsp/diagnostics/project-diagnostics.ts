/** Diagnostics of all files of a project, open or not, from a server that offers them on request (`workspace/diagnostic`). */
import type { Diagnostic } from "vscode-languageserver-protocol";
import { isRecord, uuidv7, timer, withTimeout } from "@tau/utils";

import { LspError, type RequestOptions } from "../client/connection.ts";
import { diagnosticsIn, pathOf } from "../client/diagnostic-store.ts";
import type { LanguageServer } from "../client/language-server.ts";
import { limits } from "../limits.ts";

/** By path; undefined if the server does not offer it, or says nothing in time. */
export async function pullProject(
	server: LanguageServer,
	{ signal, timeoutMs }: RequestOptions,
): Promise<ReadonlyMap<string, readonly Diagnostic[]> | undefined> {
	const pull = server.pullOptions;
	if (!pull?.answersForProject) return undefined;
	const found = new Map<string, readonly Diagnostic[]>();
	using enough = withTimeout(signal, timeoutMs, "the server takes too long");
	const settled = new AbortController();
	const ended = AbortSignal.any([enough.signal, settled.signal]);
	let quiet: Disposable | undefined;
	// Some servers never answer: they send parts as long as the request is open. Silence ends it.
	const wait = (): void => {
		quiet?.[Symbol.dispose]();
		quiet = timer(limits.projectQuietMs, () => settled.abort());
	};
	const token = uuidv7();
	using _parts = server.onPartial(token, (value) => {
		add(found, value);
		wait();
	});
	wait();
	const { identifier } = pull;
	const params = {
		...(identifier === undefined ? {} : { identifier }),
		previousResultIds: [],
		partialResultToken: token,
	};
	try {
		add(found, await server.request("workspace/diagnostic", params, { signal: ended, timeoutMs }));
		return found;
	} catch (error) {
		if (signal.aborted || !(error instanceof LspError)) throw error;
		return found.size > 0 ? found : undefined;
	} finally {
		quiet?.[Symbol.dispose]();
	}
}

function add(found: Map<string, readonly Diagnostic[]>, report: unknown): void {
	if (!isRecord(report) || !Array.isArray(report.items)) return;
	for (const item of report.items) {
		const path = isRecord(item) && typeof item.uri === "string" ? pathOf(item.uri) : undefined;
		if (path !== undefined && found.size < limits.publishedFiles)
			found.set(path, diagnosticsIn(isRecord(item) ? item.items : undefined));
	}
}

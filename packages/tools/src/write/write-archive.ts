/** Writes one file into an archive; the archive is rewritten completely or not at all. */
import type { AgentToolResult } from "@tau/agent";
import { addToArchive, archiveLimits } from "@tau/sys";

import type { ToolContext } from "../tool/define-tool.ts";
import { errorResult, textResult } from "../tool/result.ts";
import type { ArchiveTarget } from "./archive-target.ts";

export async function writeArchive(
	target: ArchiveTarget,
	content: string,
	context: ToolContext,
): Promise<AgentToolResult> {
	if (!target.ok) return errorResult(target.reason);
	const { archive, absolute, entry } = target;
	const failed = (reason: string): AgentToolResult =>
		errorResult(`Cannot write ${archive}:${entry}: ${reason}`);
	const { files } = context.machine;
	const there = await files.stat(absolute).catch(() => undefined);
	const before = there
		? await files.readEntry(archive, await files.realpath(absolute))
		: await files.readText(archive, absolute);
	if (!before.ok) return failed(before.reason);
	const old = before.text === undefined ? undefined : await load(before.target, context);
	if (typeof old === "string") return failed(old);
	const made = await addToArchive(archive, old, entry, content, context.signal);
	if (!made.ok) return failed(made.message);
	const after = { text: "", hasBom: false, bytes: made.bytes };
	const done = await files.commit([{ before, after }], context);
	if (!done.ok) return failed(done.reason);
	const bytes = Buffer.byteLength(content);
	const note = old ? "" : " The archive was created.";
	return textResult(`Wrote ${bytes} bytes to ${archive}:${entry}.${note}`, {
		path: absolute,
		// omp's name for it.
		resolvedPath: absolute,
		entry,
		bytes,
		created: old === undefined,
	});
}

/** Its bytes, or the reason why they cannot be read. */
async function load(path: string, { machine, signal }: ToolContext): Promise<Uint8Array | string> {
	try {
		return await machine.files.read(path, { signal, maxBytes: archiveLimits.bytes });
	} catch (error) {
		signal.throwIfAborted();
		return error instanceof Error ? error.message : String(error);
	}
}

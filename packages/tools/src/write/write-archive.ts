/** Puts one file into an archive; the archive is written anew, whole or not at all. */
import type { AgentToolResult } from "@tau/agent";
import { invalidateScans, writeArchiveEntry } from "@tau/sys";

import { errorResult, textResult } from "../tool/result.ts";
import type { ArchiveTarget } from "./archive-target.ts";

export async function writeArchive(target: ArchiveTarget, content: string): Promise<AgentToolResult> {
	if (!target.ok) return errorResult(target.reason);
	const { archive, absolute, entry } = target;
	const done = await writeArchiveEntry(absolute, entry, content);
	if (!done.ok) return errorResult(`Cannot write ${archive}:${entry}: ${done.message}`);
	invalidateScans(absolute);
	const bytes = Buffer.byteLength(content);
	const made = done.created ? " The archive was created." : "";
	return textResult(`Wrote ${bytes} bytes to ${archive}:${entry}.${made}`, {
		path: absolute,
		entry,
		bytes,
		created: done.created,
	});
}

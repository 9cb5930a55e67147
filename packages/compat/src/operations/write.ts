/** Writes a file through operations of an extension. */
import { dirname } from "node:path";

import { absolute, said, type Elsewhere } from "./elsewhere.ts";

export interface WriteOperations {
	writeFile(absolutePath: string, content: string): Promise<void>;
	/** With all above it. */
	mkdir(directory: string): Promise<void>;
}

export const writeElsewhere: Elsewhere<WriteOperations> = async (params, { cwd, signal }, operations) => {
	const path = absolute(cwd, params.path);
	const content = String(params.content ?? "");
	await operations.mkdir(dirname(path));
	signal.throwIfAborted();
	await operations.writeFile(path, content);
	return said(`Wrote ${Buffer.byteLength(content)} bytes to ${String(params.path)}.`);
};

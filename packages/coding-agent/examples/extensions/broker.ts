/** Lets a program write and delete files where Tau may not: --broker program gets write or delete, the path, and a file. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ExtensionAPI } from "@tau/coding-agent";

export default function broker(pi: ExtensionAPI) {
	pi.registerFlag("broker", { type: "string", description: "program that writes files where Tau may not" });
	const run = async (...args: string[]): Promise<boolean> => {
		const program = pi.getFlag("broker");
		return typeof program === "string" && (await pi.exec(program, args)).code === 0;
	};
	pi.registerFileWriteFallback(async ({ dst, content }) => {
		const folder = await mkdtemp(join(tmpdir(), "broker-"));
		try {
			const draft = join(folder, "content");
			await writeFile(draft, content, { mode: 0o600 });
			return await run("write", dst, draft);
		} finally {
			await rm(folder, { recursive: true });
		}
	});
	pi.registerFileDeleteFallback(({ dst, confirmedFile }) => confirmedFile && run("delete", dst));
}

/** The files that the client has open: read and written through the client, where it offers that. */
import { sep } from "node:path";

import * as acp from "@agentclientprotocol/sdk/unstable";
import type { EditorBuffers } from "@tau/sys";
import { log } from "@tau/utils";

import type { AcpPeer } from "./agent.ts";
import { limits } from "./limits.ts";
import { restingWay, wayTo } from "./steady-way.ts";

export interface EditorFilesOptions {
	client: AcpPeer;
	capabilities: acp.ClientCapabilities;
	/** Known once the session is open; files are read from then on. */
	sessionId(): string;
	/** What the client has open is in one of these. */
	roots: readonly string[];
}

/** Undefined where the client offers neither. A client that fails, or does not answer in time, leaves the file to the disk. */
export function editorFiles({
	client,
	capabilities: { fs },
	sessionId,
	roots,
}: EditorFilesOptions): EditorBuffers | undefined {
	if (!fs?.readTextFile && !fs?.writeTextFile) return undefined;
	const rootOf = (path: string): string | undefined =>
		roots.find((root) => path.startsWith(root.endsWith(sep) ? root : root + sep));
	const attempt = async <T>(
		path: string,
		signal: AbortSignal,
		work: (root: string, within: AbortSignal) => Promise<T | undefined>,
	): Promise<T | undefined> => {
		const root = rootOf(path);
		if (root === undefined) return undefined;
		const within = AbortSignal.any([signal, AbortSignal.timeout(limits.editorMs)]);
		try {
			return await work(root, within);
		} catch (error) {
			log.info("the editor did not take a file", { path, reason: String(error) });
			return undefined;
		}
	};
	const read = (path: string, signal: AbortSignal): Promise<string | undefined> =>
		attempt(path, signal, async (root, within) => {
			const params = { sessionId: sessionId(), path };
			for (let time = 0; time < limits.readAttempts; time++) {
				const way = await restingWay(path, root, within);
				if (!way) return undefined;
				const answer: acp.ReadTextFileResponse = await client.request(
					acp.methods.client.fs.readTextFile,
					params,
					options(within),
				);
				if (wayTo(path, root)?.changes === way.changes) return answer.content;
			}
			return undefined;
		});
	const write = async (path: string, content: string, signal: AbortSignal): Promise<boolean> => {
		const isTaken = await attempt(path, signal, async (root, within) => {
			const way = await restingWay(path, root, within);
			if (!way) return false;
			const params = { sessionId: sessionId(), path, content };
			await client.request(acp.methods.client.fs.writeTextFile, params, options(within));
			// The editor may have made directories.
			if (wayTo(path, root)?.places.startsWith(way.places)) return true;
			log.warn("a directory was replaced while the editor wrote a file in it", { path });
			return false;
		});
		return isTaken ?? false;
	};
	return { ...(fs.readTextFile ? { read } : {}), ...(fs.writeTextFile ? { write } : {}) };
}

function options(cancellationSignal: AbortSignal): acp.SendRequestOptions {
	return { cancellationSignal, stopWaitingOnCancel: true };
}

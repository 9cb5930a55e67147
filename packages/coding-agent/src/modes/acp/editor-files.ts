/** The files that the client has open: read and written through the client, where it offers that. */
import { sep } from "node:path";

import * as acp from "@agentclientprotocol/sdk/unstable";
import type { EditorBuffers } from "@tau/sys";
import { log } from "@tau/utils";

import type { AcpPeer } from "./agent.ts";
import { limits } from "./limits.ts";

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
	const isInside = (path: string): boolean =>
		roots.some((root) => path.startsWith(root.endsWith(sep) ? root : root + sep));
	const attempt = async <T>(
		path: string,
		signal: AbortSignal,
		work: (within: AbortSignal) => Promise<T>,
	): Promise<T | undefined> => {
		if (!isInside(path)) return undefined;
		const within = AbortSignal.any([signal, AbortSignal.timeout(limits.editorMs)]);
		try {
			return await work(within);
		} catch (error) {
			log.info("the editor did not take a file", { path, reason: String(error) });
			return undefined;
		}
	};
	const read = (path: string, signal: AbortSignal): Promise<string | undefined> =>
		attempt(path, signal, async (within) => {
			const params = { sessionId: sessionId(), path };
			const answer: acp.ReadTextFileResponse = await client.request(
				acp.methods.client.fs.readTextFile,
				params,
				options(within),
			);
			return answer.content;
		});
	const write = async (path: string, content: string, signal: AbortSignal): Promise<boolean> => {
		const isTaken = await attempt(path, signal, async (within) => {
			const params = { sessionId: sessionId(), path, content };
			await client.request(acp.methods.client.fs.writeTextFile, params, options(within));
			return true;
		});
		return isTaken ?? false;
	};
	return { ...(fs.readTextFile ? { read } : {}), ...(fs.writeTextFile ? { write } : {}) };
}

function options(cancellationSignal: AbortSignal): acp.SendRequestOptions {
	return { cancellationSignal, stopWaitingOnCancel: true };
}

/** The buffers of an editor that may fail, be slow, or be led out of the project by a link that a command puts on the way. */
import { sep } from "node:path";

import { log } from "@tau/utils";

import type { EditorBuffers } from "./buffers.ts";
import { limits } from "./limits.ts";
import { restingWay, wayTo } from "./steady-way.ts";

/** The editor itself: it rejects whatever it cannot do. */
export interface Editor {
	read?: ((path: string, signal: AbortSignal) => Promise<string>) | undefined;
	write?: ((path: string, text: string, signal: AbortSignal) => Promise<unknown>) | undefined;
}

/**
 * Undefined where the editor offers neither. What the user has open is below one of the roots. An editor that fails, or
 * does not answer in time, leaves the file to the disk.
 */
export function guardedBuffers(editor: Editor, roots: readonly string[]): EditorBuffers | undefined {
	const { read, write } = editor;
	if (!read && !write) return undefined;
	const attempt = async <T>(
		path: string,
		signal: AbortSignal,
		work: (root: string, within: AbortSignal) => Promise<T | undefined>,
	): Promise<T | undefined> => {
		const root = roots.find((each) => path.startsWith(each.endsWith(sep) ? each : each + sep));
		if (root === undefined) return undefined;
		const within = AbortSignal.any([signal, AbortSignal.timeout(limits.editorMs)]);
		try {
			return await work(root, within);
		} catch (error) {
			log.info("the editor did not take a file", { path, reason: String(error) });
			return undefined;
		}
	};
	return {
		...(read && {
			read: (path: string, signal: AbortSignal) =>
				attempt(path, signal, async (root, within) => {
					for (let time = 0; time < limits.editorReads; time++) {
						const way = await restingWay(path, root, within);
						if (!way) return undefined;
						const text: unknown = await read(path, within);
						if (typeof text !== "string") throw new Error("it answered without a text");
						if (wayTo(path, root)?.changes === way.changes) return text;
					}
					return undefined;
				}),
		}),
		...(write && {
			write: async (path: string, text: string, signal: AbortSignal) => {
				const isTaken = await attempt(path, signal, async (root, within) => {
					const way = await restingWay(path, root, within);
					if (!way) return false;
					await write(path, text, within);
					// The editor may have made directories.
					if (wayTo(path, root)?.places.startsWith(way.places)) return true;
					log.warn("a directory was replaced while the editor wrote a file in it", { path });
					return false;
				});
				return isTaken ?? false;
			},
		}),
	};
}

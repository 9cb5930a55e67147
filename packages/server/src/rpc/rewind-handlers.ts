/** What the commands about rewinding do. */
import type { SessionRewind } from "@tau/session/host";
import type { PlannedFile, RestoreOutcome } from "@tau/log/journal";
import { UserError } from "@tau/session/run";

import { restoreDiff } from "@tau/session-commands/work";
import type { RpcCommandOf } from "./commands.ts";
import type { CommandScope } from "./command-scope.ts";
import type { RpcResults } from "./protocol.ts";

type RewindCommand = "get_rewind_points" | "preview_rewind" | "rewind" | "redo_rewind";
type PublicFile = RpcResults["preview_rewind"]["files"][number];

export const rewindHandlers: {
	readonly [T in RewindCommand]: (command: RpcCommandOf<T>, state: CommandScope) => Promise<RpcResults[T]>;
} = {
	get_rewind_points: async (_, { host }) => {
		const points = await host.rewind.points();
		return { points: points.map((point) => ({ ...point, shown: [...point.shown] })) };
	},
	preview_rewind: async ({ entryId, diff = false }, { host }) => {
		if (entryId !== undefined && !host.log.getEntry(entryId))
			throw new UserError(`Entry ${entryId} not found in this session.`);
		const plan = await (entryId === undefined ? host.rewind.previewRedo() : host.rewind.preview(entryId));
		return { files: (plan?.files ?? []).map((file) => publicFile(file, diff ? host.rewind : undefined)) };
	},
	rewind: async ({ entryId, restore, overwrite }, { host }) => {
		const outcome = await host.rewind.rewind({ entryId, restore, overwrite: chosen(overwrite) });
		if (outcome.kind === "cancelled") return { cancelled: true };
		const { text, files } = outcome;
		return {
			cancelled: false,
			...(text === undefined ? {} : { text }),
			...(files ? { files: publicOutcome(files) } : {}),
		};
	},
	redo_rewind: async ({ overwrite }, { host }) => publicOutcome(await host.rewind.redo(chosen(overwrite))),
};

function chosen(overwrite: boolean | readonly string[] | undefined): (file: PlannedFile) => boolean {
	if (overwrite === undefined || typeof overwrite === "boolean") return () => overwrite === true;
	return ({ shown }) => overwrite.includes(shown);
}

function publicOutcome({ restored, skipped, failed }: RestoreOutcome): RpcResults["redo_rewind"] {
	return {
		restored: [...restored],
		skipped: skipped.map((file) => publicFile(file, undefined)),
		failed: failed.map((each) => ({ ...each })),
	};
}

function publicFile(file: PlannedFile, rewind: SessionRewind | undefined): PublicFile {
	const { shown, action, conflict, lost } = file;
	return {
		path: shown,
		action,
		...(conflict ? { conflict } : {}),
		...(lost ? { lost } : {}),
		...(rewind && !lost ? { diff: restoreDiff(rewind, file) } : {}),
	};
}

/** `/record`: records the session into a cassette, which `tau replay` plays. */
import { UserError } from "@tau/session/run";
import { plural, shortenHome } from "@tau/utils";

import { pathArgument, reply, valueItems, type SessionCommand } from "../command.ts";

/** A recording of the session; the program that opened the session provides it. */
export interface RecordControl {
	/** Where it is recorded to; undefined if it is not. */
	readonly file: string | undefined;
	/** Rejects with the reason where there can be no such file. */
	start(file: string): Promise<void>;
	/** Undefined if nothing was recorded. Rejects where it cannot be written. */
	stop(): Promise<
		{ readonly file: string; readonly requests: number; readonly found: readonly unknown[] } | undefined
	>;
}

export const record: SessionCommand = {
	name: "record",
	group: "Session",
	argumentHint: "<file.cassette>|stop",
	words: ["stop"],
	description: "Record this session into a file that replays",
	right: "control",
	complete: (prefix) => valueItems([{ value: "stop" }], prefix, undefined),
	async run(args, { recording, cwd }) {
		if (!recording) throw new UserError("This session cannot be recorded here. Start it with --record FILE.");
		const { file } = recording;
		if (args === "")
			return reply(
				file === undefined
					? "Nothing is recorded. Record what follows: /record demo.cassette"
					: `Recording to ${shortenHome(file)}. /record stop writes it.`,
			);
		if (args === "stop") {
			const written = await recording.stop();
			if (!written) throw new UserError("Nothing is recorded.");
			const secrets = written.found.length === 0 ? "" : `, ${plural(written.found.length, "secret")} masked`;
			return reply(
				`${plural(written.requests, "request")} recorded to ${shortenHome(written.file)}${secrets}. Replay: tau replay ${shortenHome(written.file)}`,
				"success",
			);
		}
		if (file !== undefined)
			throw new UserError(`Already recording to ${shortenHome(file)}. First: /record stop`);
		const target = pathArgument(args, cwd);
		await recording.start(target);
		return reply(`Recording to ${shortenHome(target)} from now on. /record stop writes it.`, "success");
	},
};

/** `/share` and `/unshare`: the session as a link that others read, after the user has seen what leaves. */
import { UserError } from "@tau/session/run";
import type { Destination, PreparedShare } from "@tau/session/share";
import { errorText } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { facts, plain, reply, valueItems, type CommandTarget, type SessionCommand } from "../command.ts";
import details from "./share.md" with { type: "text" };

const words = ["preview", "yes", "list"] as const;

export const share: SessionCommand = {
	name: "share",
	group: "Session",
	argumentHint: "[preview|yes|list]",
	words,
	description: "Share the session as a link (shows first what leaves)",
	details: details.trim(),
	right: "control",
	complete: (prefix) =>
		valueItems(
			words.map((value) => ({ value })),
			prefix,
			undefined,
		),
	async run(args, target) {
		const word = args.replace(/^--/, "");
		if (word !== "" && !words.some((each) => each === word))
			throw new UserError("Usage: /share [preview|yes|list]");
		if (word === "list") return await listed();
		if (target.host.log.getLeafId() === null) return reply("Nothing to share yet.", "warning");
		try {
			return await shared(word, target);
		} catch (error) {
			throw new UserError(errorText(error));
		}
	},
};

export const unshare: SessionCommand = {
	name: "unshare",
	group: "Session",
	argumentHint: "[id]",
	description: "Delete what /share has uploaded",
	details:
		"Without an id, the newest share of this session. The link stops working at once. /share list shows all.",
	right: "control",
	async run(args, { host: { log }, signal }) {
		const { findShare, listShares, removeShare } = await import("@tau/session/share");
		try {
			const own = listShares().find(({ sessionId }) => sessionId === log.getSessionId());
			const record = args === "" ? own : findShare(args);
			if (!record) return reply("This session is not shared. /share list shows all shares.", "warning");
			await removeShare(record, signal);
			return {
				...reply(`Deleted ${record.address}. The link does not work any more.`, "success"),
				data: { id: record.id },
			};
		} catch (error) {
			throw new UserError(errorText(error));
		}
	},
};

async function shared(word: string, target: CommandTarget): Promise<CommandReply> {
	const { describeShare, destinationOf, prepare, send } = await import("@tau/session/share");
	const { host, settings, agentDir, credentials, signal } = target;
	// Stored keys that the session contains are masked: listing them makes them known.
	credentials.list();
	// The user's own handler runs only where a user sits in front of it.
	const destination = destinationOf(settings, host.log, agentDir, target.preview !== undefined);
	const redact = settings.get("share.redactSecrets");
	let prepared = prepare(host.log, destination, { redact });
	const preview = describeShare(prepared, destination);
	if (word === "preview") return reply(preview);
	await target.notice(preview);
	if (word !== "yes") {
		const decided = await decide(prepared, destination, target);
		if (!decided) return reply("Share cancelled. Nothing was sent.");
		if (decided.size > 0) prepared = prepare(host.log, destination, { redact, keep: decided });
	}
	const { text, url, path } = await send(prepared, destination, signal);
	return {
		...reply(text, "success"),
		data: { ...(url === undefined ? {} : { url }), ...(path === undefined ? {} : { path }) },
	};
}

/** The ids of findings that stay; undefined without a yes. */
async function decide(
	{ found }: PreparedShare,
	destination: Destination,
	{ ask }: CommandTarget,
): Promise<ReadonlySet<string> | undefined> {
	const kept = new Set<string>();
	const yes = destination.kind === "file" ? "Write it" : "Share it";
	for (;;) {
		const masked = found.length - kept.size;
		const choice = await ask.select("Share this session?", [
			{ value: "yes", label: yes },
			...(found.length > 0
				? [
						{
							value: "choose",
							label: "Choose what is masked",
							description: `${masked} masked, ${kept.size} kept`,
						},
					]
				: []),
			{ value: "no", label: "Cancel" },
		]);
		if (choice === "yes") return kept;
		if (choice !== "choose") return undefined;
		await choose(found, kept, ask);
	}
}

async function choose(
	found: PreparedShare["found"],
	kept: Set<string>,
	ask: CommandTarget["ask"],
): Promise<void> {
	let selected: string | undefined;
	for (;;) {
		const choices = found.map(({ id, family, shown, context }) => ({
			value: id,
			label: `${kept.has(id) ? "keep" : "mask"}  ${plain(family)}: ${plain(shown)} (${id})`,
			description: plain(context),
		}));
		const choice = await ask.select(
			"What is masked (Enter changes it)",
			[{ value: "done", label: "Done" }, ...choices],
			selected === undefined ? {} : { selected },
		);
		if (choice === undefined || choice === "done") return;
		if (!kept.delete(choice)) kept.add(choice);
		selected = choice;
	}
}

async function listed(): Promise<CommandReply> {
	const { listShares } = await import("@tau/session/share");
	const shares = listShares();
	if (shares.length === 0) return reply("You have shared nothing, or it has expired.");
	return facts(shares.map(({ id, title, url }) => [id.slice(0, 8), `${plain(title)}  ${url}`]));
}

/** What `/share` does: shows what leaves, asks what is masked, and sends if the user agrees. */
import {
	describeShare,
	destinationOf,
	listShares,
	prepare,
	send,
	shownIdChars,
	type Destination,
	type PreparedShare,
} from "@tau/session/share";
import type { CommandReply } from "@tau/wire";

import { facts, plain, reply, type CommandTarget } from "../command.ts";

export async function shareWith(word: string, target: CommandTarget): Promise<CommandReply> {
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

export function listed(): CommandReply {
	const shares = listShares();
	if (shares.length === 0) return reply("You have shared nothing, or it has expired.");
	return facts(shares.map(({ id, title, url }) => [id.slice(0, shownIdChars), `${plain(title)}  ${url}`]));
}

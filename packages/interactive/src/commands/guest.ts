/** What a guest of a shared session can call: commands about its own screen, and those that the host allows it. */
import { permits, type ClientInfo, type CommandInfo } from "@tau/wire";

import type { InteractiveHost } from "../host.ts";
import { linesBlock } from "../views/lines.ts";
import type { SlashCommand } from "./command.ts";

/** They concern this terminal alone, or its own copy of the session. */
const own: ReadonlySet<string> = new Set([
	"dump",
	"export",
	"copy",
	"find",
	"help",
	"hotkeys",
	"theme",
	"settings",
	"join",
	"leave",
	"collab",
	"exit",
	"changelog",
]);

/** The host checks it again; this only says it in the words of a guest. */
export function isHostOnly(
	{ name }: SlashCommand,
	args: string,
	listed: readonly CommandInfo[],
	{ rights }: ClientInfo,
): boolean {
	if (own.has(name)) return false;
	const info = listed.find((each) => each.name === name);
	if (!info) return true;
	const [first = ""] = args.trim().split(/\s/);
	return !permits(rights, info.shows?.includes(first) ? "view" : info.right);
}

/** Who else is there, and what each may do. */
export function showParticipants(host: InteractiveHost): void {
	const { me, view } = host.client;
	const others = view.clients.filter(({ id }) => id !== me.id);
	host.print(
		linesBlock(host, [
			"In this session",
			[me.name, `you, ${rightText(me)}`],
			...others.map((client): [string, string] => [client.name, rightText(client)]),
		]),
	);
}

function rightText({ rights }: ClientInfo): string {
	if (rights === "control") return "host";
	return rights === "view" ? "read-only" : rights;
}

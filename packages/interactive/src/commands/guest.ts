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

export const readOnly = "This collab link is read-only";

/** Why a guest may not call a command, if so. The host checks it again; this only says it in the words of a guest. */
export function refusalOf(
	{ name }: SlashCommand,
	args: string,
	listed: readonly CommandInfo[],
	{ rights }: ClientInfo,
): string | undefined {
	if (own.has(name)) return undefined;
	const info = listed.find((each) => each.name === name);
	const [first = ""] = args.trim().split(/\s/);
	const needed = info?.shows?.includes(first) ? "view" : (info?.right ?? "control");
	if (info && permits(rights, needed)) return undefined;
	if (needed === "control") return `/${name} is host-only during a collab session`;
	return rights === "view"
		? readOnly
		: `/${name} needs a link with the right "${needed}"; yours has "${rights}"`;
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

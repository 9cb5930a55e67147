/** `/collab` and `/leave`: shares the session live with guests elsewhere. */
import { UserError } from "@tau/session/run";
import { plural } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import type { CollabControl, CollabLink, CollabStatus, SharedRight, WantedLink } from "../collab-control.ts";
import { plain, reply, valueItems, type CommandTarget, type SessionCommand } from "../command.ts";
import { limits } from "../limits.ts";
import details from "./collab.md" with { type: "text" };

/** What a screen draws better than text: links to click, and the code to scan. */
export interface CollabData {
	readonly links: readonly CollabLink[];
	/** The browser's address as rows of a QR code. */
	readonly qr?: readonly string[];
}

const words = ["view", "status", "stop", "link", "revoke", "remove", "qr", "omp"] as const;
const sharedRights: readonly SharedRight[] = ["view", "comment", "prompt", "approve"];

export const collab: SessionCommand = {
	name: "collab",
	group: "Session",
	argumentHint: `[<relay>|${words.join("|")}]`,
	words,
	optionsAnywhere: true,
	description: "Share this session live with others",
	details: details.trim(),
	right: "control",
	complete: (prefix) =>
		valueItems(
			words.map((value) => ({ value })),
			prefix,
			undefined,
		),
	async run(args, target) {
		const control = await controlOf(target);
		const [word = "", ...rest] = args.split(/\s+/).filter(Boolean);
		switch (word) {
			case "status":
				return statusReply(control.status);
			case "stop":
				return await stopped(control);
			case "view":
				return await printed(control, "view", target);
			case "link":
				return await invited(control, rest, target);
			case "revoke":
				return await revoked(control, rest.join(" "));
			case "remove":
				return await removed(control, rest.join(" "));
			case "qr":
				return await code(control, rest.join(" "), target);
			case "omp":
				return await forOmp(control, rest, target);
			default:
				return await printed(control, "prompt", target, word);
		}
	},
};

export const leave: SessionCommand = {
	name: "leave",
	group: "Session",
	description: "Leave a shared session, or stop sharing yours",
	right: "control",
	async run(_, target) {
		const control = await controlOf(target);
		if (!control.status) throw new UserError("Not in a collab session");
		return await stopped(control);
	},
};

async function controlOf({ collab: open }: CommandTarget): Promise<CollabControl> {
	if (!open)
		throw new UserError("This session cannot be shared: start it in a terminal, or with tau --detach.");
	return await open();
}

async function stopped(control: CollabControl): Promise<CommandReply> {
	if (!control.status) return reply("This session is not shared.", "warning");
	await control.stop();
	return reply("Sharing has ended. The links do not work any more.", "success");
}

async function revoked(control: CollabControl, name: string): Promise<CommandReply> {
	if (name === "") throw new UserError("Usage: /collab revoke <name>. /collab status lists the links.");
	await control.revoke(name);
	return reply(`The link "${name}" is revoked, and its guests are gone.`, "success");
}

async function removed(control: CollabControl, name: string): Promise<CommandReply> {
	if (name === "") throw new UserError("Usage: /collab remove <guest>. /collab status lists the guests.");
	await control.remove(name);
	return reply(`${plain(name)} is removed. Revoke the link as well, or they may join again.`, "success");
}

/** Starts if it has to. */
async function started(control: CollabControl, target: CommandTarget, relay?: string): Promise<CollabStatus> {
	const { status } = control;
	if (status && (relay === undefined || relay === "")) return status;
	if (status)
		throw new UserError(`This session is shared through ${status.relay}. End that first: /collab stop`);
	const named = relay === "" ? undefined : relay;
	const address = named ?? (control.hasRelay ? undefined : await offered(control, target));
	target.progress("Connecting to the relay");
	try {
		return await control.start(address);
	} finally {
		target.progress(undefined);
	}
}

const noRelay =
	"No relay configured. Set collab.relayUrl in /settings or pass one: /collab relay.example.com. tau relay runs one.";

/** Nothing is sent to a relay that the user has not chosen. */
async function offered(control: CollabControl, { ask }: CommandTarget): Promise<string> {
	const choice = await ask.select(
		"No relay is configured. Guests meet on one, and it cannot read anything.",
		[
			{
				value: "here",
				label: "Run one in this process",
				description: "for guests on this machine, or through an SSH tunnel",
			},
			{ value: "no", label: "Cancel", description: "and set collab.relayUrl, or use /collab <relay>" },
		],
	);
	if (choice !== "here") throw new UserError(noRelay);
	return await control.runRelay();
}

async function printed(
	control: CollabControl,
	right: SharedRight,
	target: CommandTarget,
	relay?: string,
): Promise<CommandReply> {
	const isNew = control.status === undefined;
	const status = await started(control, target, relay);
	const link =
		status.links.find((each) => each.name === right && each.right === right) ??
		(await control.invite({ name: right, right }));
	return linkReply(link, isNew);
}

function linkReply(link: CollabLink, isNew: boolean): CommandReply {
	const data: CollabData = { links: [link] };
	const text = [
		...(isNew ? ["Collab session started!"] : []),
		` • Join from another terminal: ${link.program ?? "tau"} join "${link.link}"`,
		...(link.shownBrowser === undefined ? [] : [` • or any web browser: ${link.shownBrowser}`]),
		meaning(link.right),
	].join("\n");
	return { ...reply(text, isNew ? "success" : "info"), data };
}

/** `/collab omp`, `/collab omp view` */
async function forOmp(
	control: CollabControl,
	rest: readonly string[],
	target: CommandTarget,
): Promise<CommandReply> {
	const [word = "prompt", ...more] = rest;
	if ((word !== "prompt" && word !== "view") || more.length > 0)
		throw new UserError("Usage: /collab omp [view]");
	const isNew = control.status === undefined;
	await started(control, target);
	const printedLink = linkReply(await control.inviteOmp(word), isNew);
	return { ...printedLink, text: `${printedLink.text ?? ""}\n${ompWarning}` };
}

const ompWarning =
	"omp's rooms are weaker than Tau's: one key for all, and a relay can repeat or drop messages unnoticed.";

/** Said where a link is printed: having it is all that is asked for. */
function meaning(right: SharedRight): string {
	return `Who has this link can ${powers[right]}. Share it like a password.`;
}

const powers = {
	view: "read the whole session",
	comment: "read the session and comment on it",
	prompt: "read the session and prompt the model",
	approve: "prompt the model and approve what it does on this machine",
} as const satisfies Readonly<Record<SharedRight, string>>;

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `approve Ann Lee for 2h uses 1` */
async function invited(
	control: CollabControl,
	rest: readonly string[],
	target: CommandTarget,
): Promise<CommandReply> {
	await started(control, target);
	const link = await control.invite(wantedLink(rest));
	const printedLink = linkReply(link, false);
	return { ...printedLink, text: `${printedLink.text ?? ""}\n${endOf(link)}` };
}

/** What was understood of the bounds, and how the link is called. */
function endOf({ name, expiresAt, uses }: CollabLink): string {
	const ends = [
		...(expiresAt === undefined ? [] : [`on ${new Date(expiresAt).toLocaleString()}`]),
		...(uses === undefined ? [] : [`after ${plural(uses, "guest")}`]),
	];
	const end = ends.length === 0 ? "" : `It ends ${ends.join(" or ")}. `;
	return `${end}/collab revoke ${plain(name)} ends it at once.`;
}

const usage = `Usage: /collab link <view|comment|prompt|approve> [name] [for 30m|2h|7d] [uses <1-${limits.linkUses}>]`;

/** Links that commands make and print by these names: another one must not pass for them. */
const ownNames: ReadonlySet<string> = new Set(["view", "prompt", "omp", "omp view"]);

function wantedLink(rest: readonly string[], now: number = Date.now()): WantedLink {
	const [first, ...others] = rest;
	const right = sharedRights.find((each) => each === first);
	if (!right) throw new UserError(usage);
	const { name, ms, uses } = bounded(others);
	const label = plain(name).trim().slice(0, limits.linkNameChars) || `${right} ${now.toString(36).slice(-4)}`;
	if (ownNames.has(label))
		throw new UserError(
			`"${label}" is the name of a link that /collab makes by itself. Choose another name.`,
		);
	return {
		name: label,
		right,
		...(ms === undefined ? {} : { expiresAt: now + ms }),
		...(uses === undefined ? {} : { uses }),
	};
}

/** Takes `for 2h` and `uses 1` from the end, in either order: a bound that is not understood is not part of the name. */
function bounded(others: readonly string[]): { name: string; ms?: number; uses?: number } {
	const left = [...others];
	const found: { ms?: number; uses?: number } = {};
	for (;;) {
		const [key, value = ""] = left.slice(-2);
		if ((key !== "for" && key !== "uses") || !/^\d/.test(value)) break;
		if (key === "for") found.ms = withinBounds(spanMs(value), limits.linkMs);
		else found.uses = withinBounds(Number(value), limits.linkUses);
		left.length -= 2;
	}
	const name = left.join(" ");
	if (/(?:^|\s)(?:for|uses) \d/.test(name)) throw new UserError(usage);
	return { name, ...found };
}

function spanMs(text: string): number {
	const [, count, unit = ""] = /^(\d+)([mhd])$/.exec(text) ?? [];
	return Number(count) * (unitMs[unit] ?? Number.NaN);
}

function withinBounds(value: number, most: number): number {
	if (!Number.isInteger(value) || value < 1 || value > most) throw new UserError(usage);
	return value;
}

async function code(control: CollabControl, name: string, target: CommandTarget): Promise<CommandReply> {
	const { links, relay } = await started(control, target);
	const wanted = name === "" ? "prompt" : name;
	const link = links.find((each) => each.name === wanted && each.browser !== undefined);
	if (!link && name !== "") throw new UserError(`No link is named "${name}". /collab status lists them.`);
	const shown = link ?? (await control.invite({ name: "prompt", right: "prompt" }));
	const { qrRows } = await import("../work/qr.ts");
	const data: CollabData = { links: [shown], qr: qrRows(shown.browser ?? shown.link) };
	const lines = [
		...(data.qr ?? []),
		shown.shownBrowser ?? "",
		meaning(shown.right),
		...(relay.startsWith("ws:") ? [localRelay] : []),
	];
	return { ...reply(lines.join("\n")), data };
}

const localRelay = "A phone cannot reach a relay of this machine alone: /collab stop, then /collab <relay>.";

function statusReply(status: CollabStatus | undefined): CommandReply {
	if (!status) return reply("This session is not shared. Share it: /collab", "info");
	const { relay, trouble, links, guests } = status;
	const text = [
		`Shared through ${relay}${trouble === "" ? "" : `, which cannot be reached: ${trouble}`}.`,
		"",
		"Links:",
		...links.map(linkLine),
		"",
		guests.length === 0 ? "Nobody has joined." : "Guests:",
		...guests.map(
			({ name, right, link }) => ` • ${plain(name)} (${rightText(right)}), by the link "${plain(link)}"`,
		),
	].join("\n");
	return { ...reply(text), data: { links } satisfies CollabData };
}

function linkLine({ name, right, link, expiresAt, uses, used }: CollabLink): string {
	const facts = [
		rightText(right),
		...(expiresAt === undefined ? [] : [`until ${new Date(expiresAt).toLocaleString()}`]),
		uses === undefined ? `used by ${used}` : `used by ${used} of ${uses}`,
	];
	return ` • ${plain(name)} (${facts.join(", ")}): ${link}`;
}

function rightText(right: SharedRight): string {
	return right === "view" ? "read-only" : right;
}

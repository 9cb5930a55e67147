/** Shows the agents of a session as a tree, and the types of agents; each can be opened, messaged and stopped. */
import { getKeybindings, keyHint, rawKeyHint, type Theme, type ThemeColor } from "@tau/tui";
import type { AgentFacts } from "@tau/wire";

import type { AgentsData, TypeFacts } from "@tau/session-commands/rows";
import { elapsed, money, tokens } from "../../views/format.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";

export type HubRow =
	| { kind: "agent"; id: string; info: AgentFacts; depth: number }
	| { kind: "type"; id: string; type: TypeFacts };

export interface HubParts {
	agents(): readonly AgentFacts[];
	types(): readonly TypeFacts[];
	notes(): AgentsData["notes"];
	/** Messages of the user that it has not read yet. */
	queued(id: string): readonly string[];
	now(): number;
	/** The tab that is open at first. */
	tab: "agents" | "types";
	open(id: string): void | Promise<void>;
	stop(id: string): Promise<void>;
	/** Returns what is wrong. */
	message(id: string, text: string, as: "steer" | "followUp"): Promise<string | undefined>;
	/** Continues in the session of the agent. */
	move(id: string): Promise<void>;
	edit(type: TypeFacts): Promise<void>;
	create(): Promise<void>;
	close(): void;
}

const colors = {
	running: "accent",
	waiting: "warning",
	stalled: "warning",
	completed: "success",
	failed: "error",
	aborted: "warning",
} as const;

/** The colors that Claude Code offers for a type, as the theme has them: they stay readable on every background. */
const typeColors: Readonly<Record<string, ThemeColor>> = {
	red: "error",
	green: "success",
	yellow: "warning",
	orange: "syntaxNumber",
	blue: "syntaxFunction",
	cyan: "syntaxType",
	purple: "syntaxKeyword",
	pink: "syntaxString",
};

/** Paints a name in the color of its type; a color that the table does not have changes nothing. */
function inColor(name: string, color: string | undefined, theme: Theme): string {
	const token = color === undefined ? undefined : typeColors[color.toLowerCase()];
	return token === undefined ? plain(name) : theme.fg(token, plain(name));
}

export function agentHub(screen: PickerScreen, parts: HubParts): Picker<HubRow> {
	const picker: Picker<HubRow> = new Picker<HubRow>(screen, {
		title: "Agents",
		hasSearch: false,
		tab: parts.tab,
		tabs: () => [
			{ id: "agents", label: "Agents" },
			{ id: "types", label: "Types" },
		],
		items: (_, tab) => (tab === "types" ? typeRows(parts) : agentRows(parts)),
		idOf: ({ kind, id }) => `${kind} ${id}`,
		row: (item, width, theme) => rowOf(item, width, theme, parts),
		about: (item, _width, theme) => aboutOf(item, parts, theme),
		aboutRows: limits.previewRows,
		empty: (_, tab) => (tab === "types" ? "No types" : "No agents have been started"),
		hints: (theme, item) => hintsOf(theme, item, picker.tab),
		onKey: (data, item) => onKey(data, item, picker, parts),
		onConfirm: (item) => (item.kind === "type" ? parts.edit(item.type) : parts.open(item.id)),
		onCancel: parts.close,
	});
	return picker;
}

function onKey(data: string, item: HubRow | undefined, picker: Picker<HubRow>, parts: HubParts): boolean {
	const keys = getKeybindings();
	if (keys.matches(data, "app.agents.new")) picker.run(() => parts.create());
	else if (!item || item.kind === "type") return false;
	else if (keys.matches(data, "app.agents.stop")) {
		if (isRunning(item))
			picker.confirm(`Stop ${item.id} and the agents below it?`, () => parts.stop(item.id));
	} else if (keys.matches(data, "app.agents.steer") || keys.matches(data, "app.agents.followUp")) {
		const as = keys.matches(data, "app.agents.steer") && isRunning(item) ? "steer" : "followUp";
		picker.ask({
			label: isRunning(item) ? `Message to ${item.id}` : `Question to ${item.id}`,
			onSubmit: (text) => (text.trim() === "" ? undefined : parts.message(item.id, text, as)),
		});
	} else if (keys.matches(data, "app.agents.session")) picker.run(() => parts.move(item.id));
	else return false;
	return true;
}

function isRunning(item: HubRow): boolean {
	return item.kind === "agent" && item.info.endedAt === undefined;
}

function hintsOf(theme: Theme, item: HubRow | undefined, tab: string): string[] {
	if (tab === "types")
		return [
			keyHint(theme, "tui.select.confirm", "edit"),
			keyHint(theme, "app.agents.new", "new"),
			keyHint(theme, "app.list.nextTab", "agents"),
			rawKeyHint(theme, "escape", "close"),
		];
	const known = item && [
		keyHint(theme, "tui.select.confirm", "open"),
		isRunning(item) ? keyHint(theme, "app.agents.steer", "steer") : "",
		keyHint(theme, "app.agents.followUp", "ask more"),
		keyHint(
			theme,
			isRunning(item) ? "app.agents.stop" : "app.agents.session",
			isRunning(item) ? "stop" : "resume",
		),
	];
	return [
		...(known ?? []),
		keyHint(theme, "app.list.nextTab", "types"),
		rawKeyHint(theme, "escape", "close"),
	];
}

function rowOf(item: HubRow, width: number, theme: Theme, parts: HubParts): string {
	const dim = (text: string): string => theme.fg("dim", text);
	if (item.kind === "type") {
		const { name, description, path, color } = item.type;
		const from = { text: path === null ? "built in" : "", width: 8, paint: dim };
		return row(`${inColor(name, color, theme)}  ${theme.fg("muted", plain(description))}`, [from], width);
	}
	const indent = "  ".repeat(item.depth);
	const { agent, state, lastAction, cost, tokens: count, startedAt, endedAt } = item.info;
	const name = item.id.split(".").at(-1) ?? item.id;
	const type = agent === undefined || agent === name ? "" : theme.fg("muted", ` (${plain(agent)})`);
	const color = parts.types().find((each) => each.name === agent)?.color;
	return row(
		`${indent}${inColor(name, color, theme)}${type}  ${dim(plain(lastAction))}`,
		[
			{ text: state, width: 9, paint: (text) => theme.fg(colors[state], text) },
			{ text: tokens(count), width: 6, align: "right", paint: dim },
			{ text: money(cost), width: 7, align: "right", paint: dim },
			{ text: elapsed((endedAt ?? parts.now()) - startedAt), width: 7, align: "right", paint: dim },
		],
		width,
	);
}

/** What it is to do, what it does, why it failed, what waits for it, and the last messages that it sent or got. */
function aboutOf(item: HubRow, parts: HubParts, theme: Theme): string[] {
	const muted = (text: string): string => theme.fg("muted", plain(text));
	if (item.kind === "type") {
		const { model, tools, path } = item.type;
		const facts = [`model ${model ?? "of the session"}`, `tools ${tools?.join(", ") ?? "all"}`];
		return [muted(facts.join(" · ")), ...(path === null ? [] : [theme.fg("dim", plain(path))])];
	}
	const { task, lastAction, error, model } = item.info;
	const own = parts
		.notes()
		.filter(({ from, to }) => from === item.id || to === item.id)
		.slice(-limits.agentNotes);
	return [
		muted(task ?? ""),
		error === undefined ? theme.fg("dim", plain(`${model}  ${lastAction}`)) : theme.fg("error", plain(error)),
		...parts.queued(item.id).map((text) => theme.fg("accent", plain(`waiting for it: ${text}`))),
		...own.map(({ from, to, text }) => muted(`${from} → ${to}: ${text}`)),
	].slice(0, limits.previewRows);
}

function typeRows({ types }: HubParts): HubRow[] {
	return types().map((type) => ({ kind: "type", id: type.name, type }));
}

/** Each agent above those that it opened, in the order of their start. */
/** What works now is on top. */
function agentRows({ agents }: HubParts): HubRow[] {
	const rank = ({ endedAt }: AgentFacts): number => (endedAt === undefined ? 0 : 1);
	const all = agents().toSorted((a, b) => rank(a) - rank(b));
	const known = new Set(all.map(({ id }) => id));
	const parentOf = ({ parentId }: AgentFacts): string | undefined =>
		parentId !== undefined && known.has(parentId) ? parentId : undefined;
	const below = (parentId: string | undefined, depth: number): HubRow[] =>
		all.flatMap((info) =>
			parentOf(info) === parentId
				? [{ kind: "agent", id: info.id, info, depth } as const, ...below(info.id, depth + 1)]
				: [],
		);
	return below(undefined, 0);
}

/** The last row: where one is, with which model, how full its context is and what it has cost. */
import { basename } from "node:path";

import { progressBar, truncateToWidth, visibleWidth, type Component, type Theme } from "@tau/tui";
import { oneLine, shortenHome } from "@tau/utils";
import { footerSegments } from "@tau/config/settings";
import type { ApprovalMode, Boundary, SessionFacts } from "@tau/wire";

import { limits } from "../limits.ts";
import { KeptRows } from "./kept-rows.ts";
import { money, tokens } from "./format.ts";

export interface FooterFacts {
	cwd: string;
	git: { branch: string; isDirty: boolean } | undefined;
	sessionName: string | undefined;
	/** Nothing until it is known. */
	model: { provider: string; id: string; reasoning: boolean } | undefined;
	/** The model that a virtual one has chosen for the last answer. */
	routed?: string | undefined;
	thinking: string;
	/** Nothing until it is known. */
	approvals: { mode: ApprovalMode; boundary: Boundary } | undefined;
	context: SessionFacts["context"] | undefined;
	used: { input: number; output: number; cost: number };
	/** Texts of commands and extensions. */
	statuses: readonly string[];
	/** A short message in response to a key: it stays visible even if there is little space. */
	flash: string | undefined;
	segments: readonly string[];
}

type Segment = (typeof footerSegments)[number];

/** Where one is; everything else is about the model, and at the right. */
const places: ReadonlySet<Segment> = new Set(["cwd", "git", "session", "approvals", "status"]);
/** Columns between the two groups, at least. */
const leastGap = 2;
/** Columns that the left group needs beside a message: less says nothing. */
const leastLeft = 8;

/** What is left out first if there is too little space. */
const dispensable: readonly Segment[] = [
	"session",
	"tokens",
	"cost",
	"cwd",
	"thinking",
	"git",
	"approvals",
	"status",
	"context",
];
/** Cells of a directory or a branch that there is little space for. */
const shortCells = 12;
const barCells = 6;
/** Below this share of the context, in percent, a bar would only repeat the number. */
const barFrom = 50;

export class Footer implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #facts: () => FooterFacts;
	readonly #kept = new KeptRows();

	constructor(theme: { readonly current: Theme }, facts: () => FooterFacts) {
		this.#theme = theme;
		this.#facts = facts;
	}

	invalidate(): void {
		// The rows are kept by what they show.
	}

	render(width: number): string[] {
		const [theme, facts] = [this.#theme.current, this.#facts()];
		return this.#kept.of(width, theme, facts, () => this.#draw(width, theme, facts));
	}

	#draw(width: number, theme: Theme, facts: FooterFacts): string[] {
		const wanted = facts.segments.length > 0 ? facts.segments : footerSegments;
		const parts = wanted
			.map((name) => footerSegments.find((known) => known === name))
			.filter((name) => name !== undefined)
			.map((name) => ({ name, text: draw[name](facts, theme) }))
			.filter(({ text }) => text !== "");
		const flash = facts.flash === undefined ? "" : theme.fg("text", oneLine(facts.flash, limits.lineChars));
		const row = (): Row => new Row(parts, theme.fg("dim", " · "));
		const mode = parts.find(({ name }) => name === "approvals");
		if (mode && facts.approvals && !row().fits(width, flash)) {
			const complete = mode.text;
			mode.text = approvalText({ ...facts.approvals, boundary: "none" }, theme);
			// It is shortened only if nothing else has to be left out then.
			if (!row().fits(width, flash)) mode.text = complete;
		}
		for (const name of dispensable) {
			if (row().fits(width, flash)) break;
			const at = parts.findIndex((part) => part.name === name);
			const part = parts[at];
			if (part === undefined || parts.length === 1) continue;
			const short = shortened(name, facts, theme);
			if (short !== undefined) part.text = short;
			if (!row().fits(width, flash)) parts.splice(at, 1);
		}
		return [truncateToWidth(row().draw(width, flash), width)];
	}
}

/** The directory, the branch and the mode are better cut than left out. */
function shortened(name: Segment, { cwd, git, approvals }: FooterFacts, theme: Theme): string | undefined {
	if (name === "cwd") return theme.fg("muted", oneLine(basename(cwd) || cwd, shortCells));
	if (name === "approvals" && approvals) return approvalText({ ...approvals, boundary: "none" }, theme);
	if (name !== "git" || !git) return undefined;
	return theme.fg("muted", oneLine(git.branch, shortCells)) + (git.isDirty ? theme.fg("warning", "*") : "");
}

/** Two groups, and a message beside the right one: it covers the end of the left group, and neither group moves. */
class Row {
	readonly #left: string;
	readonly #right: string;

	constructor(parts: readonly { name: Segment; text: string }[], gap: string) {
		const group = (isPlace: boolean): string =>
			parts
				.filter(({ name }) => places.has(name) === isPlace)
				.map(({ text }) => text)
				.join(gap);
		this.#left = group(true);
		this.#right = group(false);
	}

	fits(width: number, flash: string): boolean {
		return isWithin([this.#left, this.#right], width) && isWithin([flash, this.#right], width);
	}

	draw(width: number, flash: string): string {
		if (flash === "") return aligned(this.#left, this.#right, width);
		const right = [flash, this.#right].filter((part) => part !== "").join(" ".repeat(leastGap));
		const room = width - 2 - visibleWidth(right) - leastGap;
		// A message that answers a key is visible, whatever else there is.
		if (room < 0) return aligned("", flash, width);
		const left = room < leastLeft ? "" : truncateToWidth(this.#left, room);
		return aligned(left, right, width);
	}
}

function isWithin(parts: readonly string[], width: number): boolean {
	const cells = parts.reduce((sum, part) => sum + (part === "" ? 0 : visibleWidth(part) + leastGap), 0);
	return cells <= width;
}

function aligned(left: string, right: string, width: number): string {
	const space = width - 2 - visibleWidth(left) - visibleWidth(right);
	return ` ${left}${" ".repeat(Math.max(0, space))}${right}`;
}

const draw: Record<Segment, (facts: FooterFacts, theme: Theme) => string> = {
	cwd: ({ cwd }, theme) => theme.fg("muted", oneLine(shortenHome(cwd), 48)),
	git: ({ git }, theme) =>
		git ? theme.fg("muted", oneLine(git.branch, 32)) + (git.isDirty ? theme.fg("warning", "*") : "") : "",
	session: ({ sessionName }, theme) => (sessionName ? theme.fg("muted", oneLine(sessionName, 32)) : ""),
	approvals: ({ approvals }, theme) => (approvals ? approvalText(approvals, theme) : ""),
	context: ({ context }, theme) => (context && context.contextWindow > 0 ? contextShare(context, theme) : ""),
	tokens: ({ used: { input, output } }, theme) =>
		input + output > 0 ? theme.fg("dim", `↑${tokens(input)} ↓${tokens(output)}`) : "",
	cost: ({ used: { cost } }, theme) => (cost > 0 ? theme.fg("dim", money(cost)) : ""),
	model: ({ model, routed }, theme) =>
		theme.fg("text", model ? oneLine(model.id, 40) : "…") +
		(routed === undefined ? "" : theme.fg("dim", ` → ${oneLine(routed, 40)}`)),
	thinking: ({ model, thinking }, theme) =>
		model?.reasoning && thinking !== "off" ? theme.fg("dim", thinking) : "",
	status: ({ statuses }, theme) => statuses.map((text) => theme.fg("dim", oneLine(text, 60))).join(" "),
};

function approvalText({ mode, boundary }: NonNullable<FooterFacts["approvals"]>, theme: Theme): string {
	if (mode === "full") return theme.fg("warning", "full access");
	const inside = mode === "auto" && boundary !== "none" ? ` (${boundary})` : "";
	return theme.fg(mode === "plan" ? "accent" : "dim", mode + inside);
}

function contextShare({ percent, contextWindow, exact }: SessionFacts["context"], theme: Theme): string {
	const color = percent > 90 ? "error" : percent > 70 ? "warning" : "muted";
	const share = `${exact ? "" : "~"}${percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
	const text = `${theme.fg(color, share)}${theme.fg("dim", ` of ${tokens(contextWindow)}`)}`;
	if (percent < barFrom) return text;
	const bar = progressBar(
		percent / 100,
		barCells,
		(part) => theme.fg(color, part),
		(part) => theme.fg("borderMuted", part),
	);
	return `${bar} ${text}`;
}

/** How Claude Code knows a tool: hooks are written in its words. */

type Arguments = Readonly<Record<string, unknown>>;
type Resolve = (path: string) => string;

/** An argument that has another name in Claude Code. */
export interface ClaudeArgument {
	/** The tool's own name for it. */
	readonly own: string;
	/** The value as Claude Code would have it; undefined when the argument is omitted. */
	toClaude(value: unknown, resolve: Resolve): unknown;
}

export interface ClaudeForm {
	readonly name: string;
	/** Other names that a matcher may use for the tool. */
	readonly aliases?: readonly string[];
	/** Arguments by Claude Code's names. */
	readonly renamed?: Readonly<Record<string, ClaudeArgument>>;
	/** Arguments of Claude Code that are more than another name. */
	readonly composed?: {
		toClaude(args: Arguments, resolve: Resolve): Record<string, unknown>;
		/** Puts what a hook changed into the tool's own arguments. */
		heed(next: Record<string, unknown>, change: ClaudeChange): void;
	};
}

export interface ClaudeChange {
	/** The tool's arguments before the change. */
	readonly args: Arguments;
	/** The additional values that the hook received. */
	readonly sent: Arguments;
	/** The answer of the hook. */
	readonly updated: Arguments;
	/** True when the hook answered with a value that differs from the one it received. */
	isNew(key: string): boolean;
}

/** A path is absolute in Claude Code. */
export const claudePath: ClaudeArgument = {
	own: "path",
	toClaude: (value, resolve) => (typeof value === "string" ? resolve(value) : undefined),
};

/** A switch that Claude Code always states. */
export function claudeSwitch(own: string): ClaudeArgument {
	return { own, toClaude: (value) => value === true };
}

/** Claude Code's arguments for a call, beside the tool's own. */
export function claudeArguments(
	form: ClaudeForm,
	args: Arguments,
	resolve: Resolve,
): Record<string, unknown> {
	const sent: Record<string, unknown> = { ...form.composed?.toClaude(args, resolve) };
	for (const [claude, { own, toClaude }] of Object.entries(form.renamed ?? {})) {
		const value = toClaude(args[own], resolve);
		if (value !== undefined) sent[claude] = value;
	}
	return sent;
}

/**
 * Returns the arguments that a hook substitutes, under the tool's own names. A hook may answer with the names of either;
 * a value that equals the one it received changes nothing.
 */
export function ownArguments(
	form: ClaudeForm,
	args: Arguments,
	updated: Arguments,
	resolve: Resolve,
): Record<string, unknown> {
	const sent = claudeArguments(form, args, resolve);
	const next: Record<string, unknown> = {};
	for (const [key, value] of Object.entries(updated)) if (!(key in sent)) next[key] = value;
	const isNew = (key: string): boolean => key in updated && !Bun.deepEquals(updated[key], sent[key]);
	for (const [claude, { own }] of Object.entries(form.renamed ?? {})) {
		if (isNew(claude)) next[own] = updated[claude];
		else if (!(own in next) && claude in updated && own in args) next[own] = args[own];
	}
	form.composed?.heed(next, { args, sent, updated, isNew });
	return next;
}

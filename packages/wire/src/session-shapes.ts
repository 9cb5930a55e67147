/** Shapes of a session that events and commands share. */
import { once } from "@tau/utils";
import { z } from "zod";

import { rights } from "./rights.ts";
import { list } from "./schema.ts";

/** The kinds of `requests.ts`, which builds on this. */
export const requestKind = once(() => z.enum(["questions", "approval", "trust", "terminal", "dialog"]));

export const phase = once(() =>
	z.enum(["idle", "running", "retrying", "compacting", "settling", "moving", "closed"]),
);
export type Phase = z.infer<ReturnType<typeof phase>>;

export const thinkingLevel = once(() => z.enum(["off", "minimal", "low", "medium", "high", "xhigh", "max"]));
export type ThinkingLevel = z.infer<ReturnType<typeof thinkingLevel>>;

export const approvalModes = ["plan", "ask", "auto", "full"] as const;
export const approvalMode = once(() => z.enum(approvalModes));
export type ApprovalMode = (typeof approvalModes)[number];

/** What keeps a command from harming more than the project: Tau's sandbox, a container or CI job around Tau, nothing. */
export const boundary = once(() => z.enum(["sandbox", "container", "none"]));
export type Boundary = z.infer<ReturnType<typeof boundary>>;

/** What the user has allowed for longer than one call. */
export const grant = once(() =>
	z.object({
		id: z.string(),
		/** The agent that asked; it applies to no other. */
		agent: z.string(),
		/** As a rule: `Bash(git commit:*)`. */
		rule: z.string(),
		scope: z.enum(["session", "project"]),
		/** The tool whose call was approved. */
		tool: z.string(),
		/** Milliseconds since 1970. */
		grantedAt: z.number(),
		uses: z.number(),
		lastUsedAt: z.number().exactOptional(),
	}),
);
export type GrantInfo = z.infer<ReturnType<typeof grant>>;

export const compactionResult = once(() =>
	z.object({
		summary: z.string(),
		/** One line about it. */
		shortSummary: z.string().exactOptional(),
		/** The conversation from this entry on is kept as it was. */
		firstKeptEntryId: z.string(),
		tokensBefore: z.number(),
		details: z.unknown().optional(),
		/** What the model has word for word behind the summary: messages of the user, and facts of tools. */
		carried: z.string().exactOptional(),
	}),
);
export type CompactionResult = z.infer<ReturnType<typeof compactionResult>>;

export const todoStatuses = ["pending", "in_progress", "completed", "abandoned"] as const;
export type TodoStatus = (typeof todoStatuses)[number];

/** A task of the todo list. */
export const todoItem = once(() => z.object({ content: z.string(), status: z.enum(todoStatuses) }));
export type TodoItem = z.infer<ReturnType<typeof todoItem>>;

/** A part of the todo list. */
export const todoPhase = once(() => z.object({ name: z.string(), tasks: z.array(todoItem()) }));
export type TodoPhase = z.infer<ReturnType<typeof todoPhase>>;

const texts = once(() => list(z.string()).exactOptional());

/** Instructions for the model, and the conditions under which they apply. */
export const rule = once(() =>
	z
		.object({
			/** The name of its file, unique in a session. */
			name: z.string(),
			path: z.string(),
			level: z.enum(["project", "user", "builtin"]),
			content: z.string(),
			/** The model decides by this whether to read the rule. */
			description: z.string().exactOptional(),
			/** The files that the rule is about. */
			globs: texts(),
			/** Whether the rule is part of the system prompt. */
			alwaysApply: z.boolean().exactOptional(),
			/** Regular expressions: the rule applies when the model's output matches one. */
			condition: texts(),
			/** The same with code patterns, in files that the model writes. */
			astCondition: texts(),
			/** Where the conditions apply: `text`, `thinking`, `tool`, `tool:edit`, `tool:edit(*.ts)`. */
			scope: texts(),
			/** These override the settings of the same names. */
			interruptMode: z.enum(["always", "prose-only", "tool-only", "never"]).exactOptional(),
			contextMode: z.enum(["discard", "keep"]).exactOptional(),
			repeatMode: z.enum(["once", "after-gap"]).exactOptional(),
			repeatGap: z.number().exactOptional(),
		})
		.meta({ id: "Rule" }),
);
export type Rule = z.infer<ReturnType<typeof rule>>;

/** A command that has to pass before the model stops. */
export const goal = once(() =>
	z.object({ check: z.string(), attempts: z.number(), maxAttempts: z.number() }),
);

/** Another machine that the tools of a session work on. */
export const machine = once(() =>
	z.object({
		/** The name of the host. */
		name: z.string(),
		/** `ssh:host:/path`. */
		address: z.string(),
		/** Where tools work there. */
		cwd: z.string(),
		isConnected: z.boolean(),
		/** The median of the last round trips in milliseconds. */
		latencyMs: z.number().exactOptional(),
	}),
);
export type MachineFacts = z.infer<ReturnType<typeof machine>>;

/** A program that is attached to a session, and what it may do there. */
export const clientInfo = once(() =>
	z.object({
		id: z.string(),
		/** As people see it: `terminal pts/3`, `Zed`, the name of a guest. */
		name: z.string(),
		rights: z.enum(rights),
		/** The requests to the user that it can show. */
		kinds: list(requestKind()),
	}),
);
export type ClientInfo = z.infer<ReturnType<typeof clientInfo>>;

/** What a child has done so far. */
export const childFacts = once(() => ({
	/** `stalled`: nothing has happened for a while; `waiting`: for an answer of the user. */
	state: z.enum(["running", "waiting", "stalled", "completed", "aborted", "failed"]),
	lastAction: z.string(),
	tokens: z.number(),
	/** US dollars, with what its own children cost. */
	cost: z.number(),
	turns: z.number(),
	elapsedMs: z.number(),
}));
const contextItem = once(() =>
	z.object({
		id: z.string(),
		name: z.string(),
		tokens: z.number(),
		isDropped: z.boolean(),
		canDrop: z.boolean(),
	}),
);

/** What fills the context, by source, and how well the provider's cache could answer. */
export const contextReport = once(() =>
	z.object({
		usage: z.object({
			tokens: z.number(),
			contextWindow: z.number(),
			percent: z.number(),
			exact: z.boolean(),
		}),
		sources: list(z.object({ name: z.string(), tokens: z.number(), items: list(contextItem()) })),
		/** The newest turns, oldest first; cost in US dollars. */
		turns: list(z.object({ model: z.string(), requested: z.number(), cached: z.number(), cost: z.number() })),
		/** Requests that the cache could not answer: why, the tokens that were read again, and what that cost more. */
		misses: list(z.object({ request: z.number(), cause: z.string(), tokens: z.number(), cost: z.number() })),
		/** Requests of `cache.keepAlive`. */
		keptAlive: z.object({ requests: z.number(), cost: z.number() }),
	}),
);

/** What the last compaction has left to the model. */
export const summaryInfo = once(() =>
	z.object({
		entryId: z.string(),
		text: z.string(),
		/** The user's messages that are kept word for word; `cut` if only a part is there. */
		messages: list(z.object({ id: z.string(), text: z.string(), cut: z.boolean().exactOptional() })),
		/** Messages older than those, which are only counted. */
		omitted: z.number(),
	}),
);

const cells = () => z.number().int().min(1).max(1000);
/** The name of a component, a call or a kind of messages. */
const shortText = () => z.string().min(1).max(200);

/** The window and the colors that components of extensions are drawn for. */
export const surfaceFields = () => ({
	columns: cells(),
	rows: cells(),
	theme: z.object({
		name: z.string().max(100),
		appearance: z.enum(["dark", "light"]),
		mode: z.enum(["truecolor", "256color", "16color", "none"]),
		/** By the names of themes; a color is `#rrggbb`, the number of one, or empty for that of the terminal. */
		colors: z.record(z.string().max(100), z.union([z.string().max(100), z.number()])),
	}),
	/** The results of tools are shown whole. */
	expandTools: z.boolean(),
	/** Links can be followed by clicking. */
	hyperlinks: z.boolean(),
});

/** A call of a tool by its id, or a message of an extension by its kind and time. */
export const blockFields = () => ({
	open: z
		.array(
			z.object({
				id: shortText(),
				width: cells(),
				of: z.union([
					z.object({ toolCallId: shortText() }),
					z.object({ customType: shortText(), timestamp: z.number() }),
				]),
			}),
		)
		.max(600),
	close: z.array(shortText()).max(600),
});

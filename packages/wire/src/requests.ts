/** Requests to the user: what is asked, and what the answer may be. Any client may answer one that is open. */
import { once } from "@tau/utils";
import { z } from "zod";

import { args } from "./messages.ts";
import { type FieldsOf, type Flat, list, type Shape } from "./schema.ts";

interface RequestRow<S extends Shape, A> {
	/** The fields beside those that every request has. */
	fields(): S;
	answer(): z.ZodType<A>;
}

function request<S extends Shape, A>(fields: () => S, answer: () => z.ZodType<A>): RequestRow<S, A> {
	return { fields: once(fields), answer: once(answer) };
}

const question = once(() =>
	z.object({
		id: z.string(),
		question: z.string(),
		options: list(z.object({ label: z.string(), description: z.string().exactOptional() })),
		/** Several options may be chosen. */
		multiple: z.boolean(),
		/** The position of the option that is proposed. */
		recommended: z.number().exactOptional(),
		/** What is typed is a secret, and not shown. */
		secret: z.boolean().exactOptional(),
	}),
);

/** What was chosen of the options, and what was written beside them. */
const questionAnswer = once(() =>
	z.object({ id: z.string(), chosen: list(z.string()), text: z.string().exactOptional() }),
);

/** What a tool call would touch. */
const touch = once(() =>
	z.union([
		z.object({ kind: z.enum(["read", "write", "delete"]), path: z.string() }),
		z.object({ kind: z.literal("exec"), command: z.string(), cwd: z.string() }),
		z.object({ kind: z.literal("fetch"), url: z.string() }),
	]),
);

const approvalChoice = once(() =>
	z.object({
		id: z.string(),
		label: z.string(),
		/** Whether the call runs when this is chosen. */
		allows: z.boolean(),
		/** How long the choice applies to calls like this one. */
		scope: z.enum(["once", "session", "project", "always"]),
		/** What else it covers from now on, as rules: `Bash(git commit:*)`. */
		covers: list(z.string()).exactOptional(),
		/** The answer should have a `message`: why not, or what to do instead. */
		takesMessage: z.boolean().exactOptional(),
		/** The answer should have `texts`: those of `amendable`, as the user wants them. */
		takesTexts: z.boolean().exactOptional(),
	}),
);

/** The dialogs of pi's extensions; `timeout` is in milliseconds. */
export const dialogs = once(() => {
	const title = z.string();
	const timeout = z.number().optional();
	return {
		select: { method: z.literal("select"), title, options: z.array(z.string()), timeout },
		confirm: { method: z.literal("confirm"), title, message: z.string(), timeout },
		input: {
			method: z.literal("input"),
			title,
			placeholder: z.string().optional(),
			/** What the field holds at first. Tau's own. */
			prefill: z.string().optional(),
			timeout,
		},
		editor: { method: z.literal("editor"), title, prefill: z.string().optional(), timeout },
	};
});

const dialog = once(() => {
	const { select, confirm, input, editor } = dialogs();
	return z.discriminatedUnion("method", [
		// pi's clients have no field for what an option means; others show it.
		z.object({
			...select,
			descriptions: list(z.string().nullable()).exactOptional(),
			/** The option that is selected at first. */
			selected: z.string().exactOptional(),
		}),
		// A stray Enter must not agree to something grave: then `no` is selected at first.
		z.object({ ...confirm, selected: z.enum(["yes", "no"]).exactOptional() }),
		// What is typed is not shown: a password.
		z.object({ ...input, secret: z.boolean().exactOptional() }),
		z.object(editor),
	]);
});

/** What a terminal of a command shows: cells with colors, never a sequence of the program. */
export const shownScreen = once(() =>
	z.object({
		columns: z.number(),
		rows: z.number(),
		/** Up to the last one in use; the cell under the cursor is inverse. */
		lines: list(z.string()),
		/** How keys of the cursor and pasted text are sent. */
		applicationCursor: z.boolean(),
		bracketedPaste: z.boolean(),
	}),
);

export const requestKinds = {
	/** Questions of the `ask` tool and of extensions. */
	questions: request(
		() => ({ questions: list(question()) }),
		() => z.object({ answers: list(questionAnswer()) }),
	),
	/** May this tool call run? The model reads `message`. */
	approval: request(
		() => ({
			call: z.object({ toolCallId: z.string(), toolName: z.string(), args: args() }),
			tier: z.enum(["read", "write", "exec"]),
			touches: list(touch()),
			/** Which boundary the call would cross. */
			reason: z.string().exactOptional(),
			/** The question in words, where it is not whether a tool may run. */
			title: z.string().exactOptional(),
			/** Texts of the call that the user may change before allowing it, with the names of their arguments. */
			amendable: list(z.object({ name: z.string(), text: z.string() })).exactOptional(),
			/** What the call would change. */
			preview: z.object({ kind: z.enum(["diff", "text"]), text: z.string() }).exactOptional(),
			/** The agent that wants to run it; absent for the session's own. */
			agent: z.string().exactOptional(),
			choices: list(approvalChoice()),
		}),
		() =>
			z.object({
				choice: z.string(),
				message: z.string().exactOptional(),
				/** One for each of `amendable`, in their order. */
				texts: list(z.string()).exactOptional(),
			}),
	),
	/** May code of this project run? */
	trust: request(
		() => ({
			project: z.string(),
			/** The files that would be loaded or run. */
			runs: list(
				z.object({
					path: z.string(),
					kind: z.string().exactOptional(),
					/** The commands of MCP servers that the file defines. */
					commands: list(z.string()).exactOptional(),
				}),
			),
		}),
		() => z.object({ trusted: z.boolean(), remember: z.boolean() }),
	),
	/**
	 * A command has opened a terminal, which `terminal_input` types into. It closes when the command ends, and has no
	 * answer.
	 */
	terminal: request(
		() => ({ command: z.string(), screen: shownScreen() }),
		() => z.never(),
	),
	/** A dialog of an extension. `select`, `input` and `editor` are answered with `value`, `confirm` with `confirmed`. */
	dialog: request(
		() => ({ dialog: dialog() }),
		() => z.union([z.object({ value: z.string() }), z.object({ confirmed: z.boolean() })]),
	),
} as const;

export type RequestKind = keyof typeof requestKinds;

/** The room that a client has for a terminal, in cells. */
export const terminalSize = once(() => ({
	requestId: z.string().min(1),
	columns: z.number().int().positive(),
	rows: z.number().int().positive(),
}));

const head = once(() => ({
	id: z.string(),
	/** Milliseconds since 1970. */
	openedAt: z.number(),
	/** Who asks; absent where Tau itself does. */
	from: z
		.object({
			tool: z.string().exactOptional(),
			extension: z.string().exactOptional(),
			hook: z.string().exactOptional(),
		})
		.exactOptional(),
}));

type Head = FieldsOf<ReturnType<typeof head>>;
type RowOf<K extends RequestKind> = (typeof requestKinds)[K];

/** What is asked, without what every request has: what a caller of `ask` gives. */
export type RequestFields<K extends RequestKind> = FieldsOf<ReturnType<RowOf<K>["fields"]>>;
export type UserRequestOf<K extends RequestKind> = Flat<{ kind: K } & Head & RequestFields<K>>;
export type UserRequest = { [K in RequestKind]: UserRequestOf<K> }[RequestKind];
export type RequestOrigin = NonNullable<Head["from"]>;

export type AnswerOf<K extends RequestKind> = z.infer<ReturnType<RowOf<K>["answer"]>>;
export type UserAnswer = { [K in RequestKind]: AnswerOf<K> }[RequestKind];

/** A user who does not want to answer. It is also how a request ends when no client is left. */
export type Cancelled = { cancelled: true };

export type Question = z.infer<ReturnType<typeof question>>;
export type QuestionAnswer = z.infer<ReturnType<typeof questionAnswer>>;
export type ShownScreen = z.infer<ReturnType<typeof shownScreen>>;
export type Touch = z.infer<ReturnType<typeof touch>>;
export type ApprovalChoice = z.infer<ReturnType<typeof approvalChoice>>;
export type Dialog = z.infer<ReturnType<typeof dialog>>;

function requestSchemaOf<K extends RequestKind>(kind: K) {
	return z.object({ kind: z.literal(kind), ...head(), ...requestKinds[kind].fields() });
}

export const userRequest = once(() =>
	z
		.discriminatedUnion("kind", [
			requestSchemaOf("questions"),
			requestSchemaOf("approval"),
			requestSchemaOf("trust"),
			requestSchemaOf("terminal"),
			requestSchemaOf("dialog"),
		])
		.meta({ id: "UserRequest" }),
);

const cancelled = once(() => z.object({ cancelled: z.literal(true) }));

/** The schema of what a client may answer to a request of this kind. */
export function answerSchema<K extends RequestKind>(kind: K): z.ZodType<AnswerOf<K> | Cancelled> {
	const answer: z.ZodType<UserAnswer> = requestKinds[kind].answer();
	return z.union([cancelled(), answer]) as z.ZodType<AnswerOf<K> | Cancelled>;
}

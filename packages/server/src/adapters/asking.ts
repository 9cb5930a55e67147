/** Asks the user of a client that has only lists of choices, and perhaps forms. Every request becomes one of the two. */
import {
	asDialogs,
	trustChoices,
	trustLines,
	type AnswerOf,
	type ApprovalChoice,
	type Dialog,
	type ExtensionUIResponse,
	type Question,
	type UserAnswer,
	type UserRequest,
} from "@tau/wire";

export interface Choice {
	readonly id: string;
	readonly label: string;
	readonly allows: boolean;
	/** Whether it holds for more than this once. */
	readonly isLasting: boolean;
}

/** What a list of choices is about, where it is not a tool call. */
export interface Subject {
	readonly title: string;
	readonly text?: string;
	/** What would run, to be shown as it is. */
	readonly runs?: string;
	readonly paths?: readonly string[];
}

interface Option {
	const: string;
	title: string;
	description?: string;
}

/** A field of a form, in the JSON Schema of elicitations. */
export type Field = { title: string; description?: string } & (
	{ type: "string"; default?: string; oneOf?: Option[] } | { type: "array"; items: { anyOf: Option[] } }
);

export type FormAnswer = Readonly<Record<string, unknown>>;

/** The client, for the time that a request is open. Undefined is a no: also of a client that is gone. */
export interface Asker {
	/** Whether it shows forms. */
	readonly hasForms: boolean;
	/** The id of the choice. Without a subject, it is about the call that the request is about. */
	choose(choices: readonly Choice[], subject?: Subject): Promise<string | undefined>;
	form(message: string, fields: Record<string, Field>, required: string[]): Promise<FormAnswer | undefined>;
	/** Shows that a question cannot be answered here. */
	notice(text: string): void;
}

/** Undefined if the user declines, or cannot be asked. */
export async function answerBy(request: UserRequest, asker: Asker): Promise<UserAnswer | undefined> {
	if (request.kind === "approval") {
		const chosen = await chosenOf(request.choices, asker);
		return chosen && { ...chosen, choice: chosen.choice.id };
	}
	if (request.kind === "trust") {
		const paths = request.runs.map(({ path }) => path);
		const subject = { title: `Trust ${request.project}?`, runs: trustLines(request).join("\n"), paths };
		return (await chosenOf(trustChoices, asker, subject))?.choice.answer;
	}
	if (request.kind === "questions" && asker.hasForms) return await questions(request.questions, asker);
	const sequence = asDialogs(request);
	let step = sequence.next();
	while (!step.done) step = sequence.next(await dialog(step.value, asker));
	return "cancelled" in step.value ? undefined : step.value;
}

/** The choice, and what the user wants instead where it takes words and the client has forms. */
async function chosenOf<C extends ApprovalChoice>(
	choices: readonly C[],
	asker: Asker,
	subject?: Subject,
): Promise<{ choice: C; message?: string } | undefined> {
	// Forms of protocols have one line: nothing to change a command or a file in.
	const offered = choices.filter(
		({ takesMessage, takesTexts }) => !takesTexts && (!takesMessage || asker.hasForms),
	);
	const id = await asker.choose(
		offered.map((each) => ({ ...each, isLasting: each.scope !== "once" })),
		subject,
	);
	const chosen = offered.find((each) => each.id === id);
	if (!chosen?.takesMessage) return chosen && { choice: chosen };
	const text = { type: "string", title: "What to do instead" } as const;
	const message = (await asker.form(chosen.label, { message: text }, []))?.["message"];
	return { choice: chosen, ...(typeof message === "string" && message !== "" ? { message } : {}) };
}

/** All questions in one form; each may be answered in the user's own words. */
async function questions(
	asking: readonly Question[],
	asker: Asker,
): Promise<AnswerOf<"questions"> | undefined> {
	const fields: Record<string, Field> = {};
	for (const [at, question] of asking.entries()) {
		fields[`answer${at}`] = fieldOf(question);
		if (question.options.length > 0)
			fields[`text${at}`] = { type: "string", title: "In your own words", description: question.question };
	}
	const [first] = asking;
	const message = asking.length === 1 && first ? first.question : `${asking.length} questions`;
	const answer = await asker.form(message, fields, []);
	if (!answer) return undefined;
	const answers = asking.map(({ id, options }, at) => {
		const value = answer[`answer${at}`];
		const text = options.length > 0 ? answer[`text${at}`] : value;
		const labels = new Set(options.map(({ label }) => label));
		const chosen = [value ?? []].flat().map(String);
		return {
			id,
			chosen: chosen.filter((label) => labels.has(label)),
			...(typeof text === "string" && text !== "" ? { text } : {}),
		};
	});
	return answers.every(({ chosen, text }) => chosen.length === 0 && text === undefined)
		? undefined
		: { answers };
}

function fieldOf({ question, options, multiple, recommended }: Question): Field {
	if (options.length === 0) return { type: "string", title: question };
	const choices = options.map(({ label, description }) => optionOf(label, description));
	if (multiple) return { type: "array", title: question, items: { anyOf: choices } };
	const proposed = recommended === undefined ? undefined : options[recommended]?.label;
	const preset = proposed === undefined ? {} : { default: proposed };
	return { type: "string", title: question, oneOf: choices, ...preset };
}

function optionOf(label: string, description?: string | null): Option {
	return { const: label, title: label, ...(description ? { description } : {}) };
}

/** One step. A text can be asked for only with a form, and a secret not even then: protocols forbid it. */
async function dialog(shown: Dialog, asker: Asker): Promise<ExtensionUIResponse> {
	const head = { type: "extension_ui_response", id: "" } as const;
	const cancelled = { ...head, cancelled: true as const };
	if (shown.method === "select") {
		const value = await selected(shown, asker);
		return value === undefined ? cancelled : { ...head, value };
	}
	if (shown.method === "confirm") {
		const subject = { title: shown.title, text: shown.message };
		const chosen = await asker.choose([choice("yes", "Yes"), choice("no", "No", false)], subject);
		return chosen === undefined ? cancelled : { ...head, confirmed: chosen === "yes" };
	}
	const isSecret = shown.method === "input" && shown.secret === true;
	if (!asker.hasForms || isSecret) {
		const why = isSecret ? "Editors do not ask for secrets." : "This editor cannot ask for a text.";
		asker.notice(
			`${why} Nobody was asked: ${shown.title}. Join the session with tau attach, or answer in a prompt.`,
		);
		return cancelled;
	}
	const preset = shown.prefill === undefined ? {} : { default: shown.prefill };
	const hint =
		shown.method === "input" && shown.placeholder !== undefined ? { description: shown.placeholder } : {};
	const field = { type: "string", title: "Answer", ...preset, ...hint } as const;
	const value = (await asker.form(shown.title, { answer: field }, ["answer"]))?.["answer"];
	return typeof value === "string" ? { ...head, value } : cancelled;
}

async function selected(shown: Dialog & { method: "select" }, asker: Asker): Promise<string | undefined> {
	const { title, options, descriptions = [], selected: first } = shown;
	if (asker.hasForms) {
		const choices = options.map((label, at) => optionOf(label, descriptions[at]));
		const preset = first === undefined ? {} : { default: first };
		const field = { type: "string", title: "Answer", oneOf: choices, ...preset } as const;
		const value = (await asker.form(title, { answer: field }, ["answer"]))?.["answer"];
		return options.find((label) => label === value);
	}
	const lines = options.flatMap((label, at) => (descriptions[at] ? [`- ${label}: ${descriptions[at]}`] : []));
	const offered = options.map((label, at) => choice(String(at), label));
	const chosen = await asker.choose([...offered, choice("cancel", "Cancel", false)], {
		title,
		text: lines.join("\n"),
	});
	return options.find((_, at) => String(at) === chosen);
}

function choice(id: string, label: string, allows = true): Choice {
	return { id, label, allows, isLasting: false };
}

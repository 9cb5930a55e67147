/** Asks the user of the client: approvals as permissions, everything else as forms where the client has them. */
import type * as acp from "@agentclientprotocol/sdk/unstable";
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
	type UserRequestOf,
} from "@tau/wire";

import { shownText, textContent } from "./tool-calls.ts";

export type FormAnswer = Readonly<Record<string, acp.ElicitationContentValue>>;

/** The client, for the time that a request is open. Undefined is a no: also of a client that is gone. */
export interface Asked {
	/** Whether it shows forms. */
	readonly hasForms: boolean;
	/** The id of the option. */
	permission(
		call: Omit<acp.ToolCallUpdate, "toolCallId">,
		options: acp.PermissionOption[],
	): Promise<string | undefined>;
	form(
		message: string,
		fields: Record<string, acp.ElicitationPropertySchema>,
		required: string[],
	): Promise<FormAnswer | undefined>;
	/** Shows that a question cannot be answered here. */
	notice(text: string): void;
}

/** Undefined if the user declines, or cannot be asked. `call` is what the client shows of the call that an approval is about. */
export async function answerOf(
	request: UserRequest,
	asked: Asked,
	call: Omit<acp.ToolCallUpdate, "toolCallId">,
): Promise<UserAnswer | undefined> {
	if (request.kind === "approval") {
		const chosen = await chosenOf(request.choices, asked, call);
		return chosen && { ...chosen, choice: chosen.choice.id };
	}
	if (request.kind === "trust")
		return (await chosenOf(trustChoices, asked, trustCall(request)))?.choice.answer;
	if (request.kind === "questions" && asked.hasForms) return await questions(request.questions, asked);
	const sequence = asDialogs(request);
	let step = sequence.next();
	while (!step.done) step = sequence.next(await dialog(step.value, asked));
	return "cancelled" in step.value ? undefined : step.value;
}

/** The choice, and what the user wants instead where it takes words and the client has forms. */
async function chosenOf<C extends ApprovalChoice>(
	choices: readonly C[],
	asked: Asked,
	call: Omit<acp.ToolCallUpdate, "toolCallId">,
): Promise<{ choice: C; message?: string } | undefined> {
	// Forms of the protocol have one line: nothing to change a command or a file in.
	const offered = choices.filter(
		({ takesMessage, takesTexts }) => !takesTexts && (!takesMessage || asked.hasForms),
	);
	const id = await asked.permission(
		call,
		offered.map((choice) => ({ optionId: choice.id, name: choice.label, kind: optionKind(choice) })),
	);
	const choice = offered.find((each) => each.id === id);
	if (!choice?.takesMessage) return choice && { choice };
	const text = { type: "string", title: "What to do instead" } as const;
	const message = (await asked.form(choice.label, { message: text }, []))?.["message"];
	return { choice, ...(typeof message === "string" && message !== "" ? { message } : {}) };
}

function optionKind({ allows, scope }: ApprovalChoice): acp.PermissionOption["kind"] {
	if (allows) return scope === "once" ? "allow_once" : "allow_always";
	return scope === "once" ? "reject_once" : "reject_always";
}

function trustCall(request: UserRequestOf<"trust">): Omit<acp.ToolCallUpdate, "toolCallId"> {
	return {
		title: `Trust ${request.project}?`,
		kind: "execute",
		content: [textContent(`It would run:\n\n${shownText(trustLines(request).join("\n"), "")}`)],
		locations: request.runs.map(({ path }) => ({ path })),
	};
}

/** All questions in one form; each may be answered in the user's own words. */
async function questions(
	asking: readonly Question[],
	asked: Asked,
): Promise<AnswerOf<"questions"> | undefined> {
	const fields: Record<string, acp.ElicitationPropertySchema> = {};
	for (const [at, question] of asking.entries()) {
		fields[`answer${at}`] = fieldOf(question);
		if (question.options.length > 0)
			fields[`text${at}`] = { type: "string", title: "In your own words", description: question.question };
	}
	const [first] = asking;
	const message = asking.length === 1 && first ? first.question : `${asking.length} questions`;
	const answer = await asked.form(message, fields, []);
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

function fieldOf({ question, options, multiple, recommended }: Question): acp.ElicitationPropertySchema {
	if (options.length === 0) return { type: "string", title: question };
	const choices = options.map(({ label, description }) => ({
		const: label,
		title: label,
		...(description === undefined ? {} : { description }),
	}));
	if (multiple) return { type: "array", title: question, items: { anyOf: choices } };
	const proposed = recommended === undefined ? undefined : options[recommended]?.label;
	return {
		type: "string",
		title: question,
		oneOf: choices,
		...(proposed === undefined ? {} : { default: proposed }),
	};
}

/** One step. A text can be asked for only with a form, and a secret not even then: the protocol forbids it. */
async function dialog(shown: Dialog, asked: Asked): Promise<ExtensionUIResponse> {
	const head = { type: "extension_ui_response", id: "" } as const;
	const cancelled = { ...head, cancelled: true as const };
	if (shown.method === "select") {
		const value = await selected(shown, asked);
		return value === undefined ? cancelled : { ...head, value };
	}
	if (shown.method === "confirm") {
		const options: acp.PermissionOption[] = [
			{ optionId: "yes", name: "Yes", kind: "allow_once" },
			{ optionId: "no", name: "No", kind: "reject_once" },
		];
		const content = shown.message === "" ? [] : [textContent(shown.message)];
		const chosen = await asked.permission({ title: shown.title, kind: "other", content }, options);
		return chosen === undefined ? cancelled : { ...head, confirmed: chosen === "yes" };
	}
	const isSecret = shown.method === "input" && shown.secret === true;
	if (!asked.hasForms || isSecret) {
		const why = isSecret ? "Editors do not ask for secrets." : "This editor cannot ask for a text.";
		asked.notice(
			`${why} Nobody was asked: ${shown.title}. Join the session with tau attach, or answer in a prompt.`,
		);
		return cancelled;
	}
	const preset = shown.prefill === undefined ? {} : { default: shown.prefill };
	const hint =
		shown.method === "input" && shown.placeholder !== undefined ? { description: shown.placeholder } : {};
	const field = { type: "string", title: "Answer", ...preset, ...hint } as const;
	const value = (await asked.form(shown.title, { answer: field }, ["answer"]))?.["answer"];
	return typeof value === "string" ? { ...head, value } : cancelled;
}

async function selected(shown: Dialog & { method: "select" }, asked: Asked): Promise<string | undefined> {
	const { title, options, descriptions = [], selected: first } = shown;
	if (asked.hasForms) {
		const choices = options.map((label, at) => {
			const description = descriptions[at];
			return { const: label, title: label, ...(description ? { description } : {}) };
		});
		const preset = first === undefined ? {} : { default: first };
		const field = { type: "string", title: "Answer", oneOf: choices, ...preset } as const;
		const value = (await asked.form(title, { answer: field }, ["answer"]))?.["answer"];
		return options.find((label) => label === value);
	}
	const lines = options.flatMap((label, at) => (descriptions[at] ? [`- ${label}: ${descriptions[at]}`] : []));
	const chosen = await asked.permission(
		{ title, kind: "other", content: lines.length > 0 ? [textContent(lines.join("\n"))] : [] },
		[
			...options.map((label, at): acp.PermissionOption => ({
				optionId: String(at),
				name: label,
				kind: "allow_once",
			})),
			{ optionId: "cancel", name: "Cancel", kind: "reject_once" },
		],
	);
	return options.find((_, at) => String(at) === chosen);
}

/** Shows requests to the user as pi's dialogs, one after another, so that clients written for pi can answer all of them. */
import type { ExtensionUIRequest, ExtensionUIResponse } from "./extension-ui.ts";
import type {
	AnswerOf,
	ApprovalChoice,
	Cancelled,
	Dialog,
	Question,
	QuestionAnswer,
	UserRequest,
	UserRequestOf,
} from "./requests.ts";

/** Yields dialogs and takes the client's responses; returns the answer to the request. */
export type DialogSequence<A> = Generator<Dialog, A | Cancelled, ExtensionUIResponse>;

const cancelled: Cancelled = { cancelled: true };

/** The item that ends a question with several answers. */
const done = "Done";

/** The answers to the question whether code of a project may run, as choices like those of an approval. */
export const trustChoices: readonly (ApprovalChoice & { answer: AnswerOf<"trust"> })[] = [
	{
		id: "trust",
		label: "Trust",
		allows: true,
		scope: "always",
		answer: { trusted: true, remember: true },
	},
	{
		id: "once",
		label: "Trust for this session",
		allows: true,
		scope: "once",
		answer: { trusted: true, remember: false },
	},
	{
		id: "no",
		label: "Do not trust",
		allows: false,
		scope: "once",
		answer: { trusted: false, remember: false },
	},
];

/** What would run, a line for each file and each command in it. */
export function trustLines({ runs }: Pick<UserRequestOf<"trust">, "runs">): string[] {
	return runs.flatMap(({ path, kind, commands = [] }) => [
		kind === undefined ? path : `${path} (${kind})`,
		...commands.map((command) => `  ${command}`),
	]);
}

/** The dialogs by which a client written for pi answers the request. A response of the wrong kind cancels it. */
export function asDialogs(request: UserRequest): DialogSequence<AnswerOf<UserRequest["kind"]>> {
	if (request.kind === "dialog") return single(request.dialog);
	if (request.kind === "questions") return inTurn(request.questions);
	if (request.kind === "terminal") return none();
	return request.kind === "trust" ? trust(request) : approval(request);
}

/** A terminal has no dialog: it closes with its command. */
function* none(): DialogSequence<never> {
	yield* [];
	return cancelled;
}

/** The frame of a dialog. */
export function dialogFrame(id: string, dialog: Dialog): ExtensionUIRequest {
	const head = { type: "extension_ui_request", id } as const;
	if (dialog.method === "select") {
		const { descriptions: _, selected: __, ...plain } = dialog;
		return { ...head, ...plain };
	}
	if (dialog.method !== "confirm") return { ...head, ...dialog };
	const { selected: _, ...plain } = dialog;
	return { ...head, ...plain };
}

function* single(dialog: Dialog): DialogSequence<AnswerOf<"dialog">> {
	const response = yield dialog;
	if (dialog.method === "confirm")
		return "confirmed" in response ? { confirmed: response.confirmed } : cancelled;
	return "value" in response ? { value: response.value } : cancelled;
}

function* approval({
	call,
	title = `Allow ${call.toolName}?`,
	touches,
	reason,
	preview,
	choices,
	amendable = [],
}: UserRequestOf<"approval">): DialogSequence<AnswerOf<"approval">> {
	const lines = touches.map((touch) => {
		if (touch.kind === "exec") return `run ${touch.command}`;
		return `${touch.kind} ${touch.kind === "fetch" ? touch.url : touch.path}`;
	});
	const about = [reason, ...lines, preview?.text].filter((line) => line !== undefined);
	const value = yield* select([title, ...about].join("\n"), labelsOf(choices));
	const choice = choices.find(({ label }) => label === value);
	if (choice?.takesTexts) {
		const texts: string[] = [];
		for (const { name, text } of amendable) {
			const response = yield { method: "editor", title: `Change ${name}`, prefill: text };
			if (!("value" in response)) return cancelled;
			texts.push(response.value);
		}
		return { choice: choice.id, texts };
	}
	if (!choice?.takesMessage) return choice ? { choice: choice.id } : cancelled;
	const response = yield { method: "input", title: choice.label };
	return { choice: choice.id, ...("value" in response ? { message: response.value } : {}) };
}

function* trust(request: UserRequestOf<"trust">): DialogSequence<AnswerOf<"trust">> {
	const title = [`Trust ${request.project}? It would run:`, ...trustLines(request)].join("\n");
	const value = yield* select(title, labelsOf(trustChoices));
	return trustChoices.find(({ label }) => label === value)?.answer ?? cancelled;
}

/** A question that is not answered cancels all of them. */
function* inTurn(questions: readonly Question[]): DialogSequence<AnswerOf<"questions">> {
	const answers: QuestionAnswer[] = [];
	for (const question of questions) {
		const answer = yield* one(question);
		if (!answer) return cancelled;
		answers.push(answer);
	}
	return { answers };
}

function* one({
	id,
	question,
	options,
	multiple,
}: Question): Generator<Dialog, QuestionAnswer | undefined, ExtensionUIResponse> {
	if (options.length === 0) {
		const response = yield { method: "input", title: question };
		return "value" in response ? { id, chosen: [], text: response.value } : undefined;
	}
	const descriptions = options.flatMap(({ label, description }) =>
		description === undefined ? [] : [`${label}: ${description}`],
	);
	const title = [question, ...descriptions].join("\n");
	const chosen: string[] = [];
	for (;;) {
		const left = labelsOf(options).filter((label) => !chosen.includes(label));
		const value = yield* select(title, multiple ? [...left, done] : left);
		if (value === done && multiple) return { id, chosen };
		if (value === undefined || !left.includes(value)) return undefined;
		chosen.push(value);
		if (!multiple || left.length === 1) return { id, chosen };
	}
}

function* select(
	title: string,
	options: string[],
): Generator<Dialog, string | undefined, ExtensionUIResponse> {
	const response = yield { method: "select", title, options };
	return "value" in response ? response.value : undefined;
}

function labelsOf(items: readonly { readonly label: string }[]): string[] {
	return items.map(({ label }) => label);
}

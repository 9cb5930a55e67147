/** Questions of the model: options to choose from, and room for words of one's own. */
import type { QuestionAnswer, UserRequestOf } from "@tau/wire";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { Markdown } from "../markdown/markdown.tsx";
import { TextField } from "../parts/text-field.tsx";
import type { Answer } from "./request-dock.tsx";

type Questions = UserRequestOf<"questions">;

export function QuestionsRequest({ request, answer }: { request: Questions; answer: Answer }): JSX.Element {
	const { questions } = request;
	const [given, setGiven] = useState<readonly QuestionAnswer[]>(() =>
		questions.map(({ id, options, recommended }) => ({
			id,
			chosen:
				recommended === undefined
					? []
					: options.slice(recommended, recommended + 1).map(({ label }) => label),
		})),
	);
	const change = (at: number, next: Partial<QuestionAnswer>): void =>
		setGiven(given.map((each, index) => (index === at ? { ...each, ...next } : each)));
	const isComplete = given.every(({ chosen, text }) => chosen.length > 0 || (text ?? "") !== "");
	const send = (): void => {
		if (isComplete) answer({ answers: given });
	};
	return (
		<div
			class="questions"
			onKeyDown={(event) => {
				if (event.key === "Enter" && !event.shiftKey && !(event.target instanceof HTMLButtonElement)) send();
			}}
		>
			{questions.map((question, at) => {
				const { chosen = [], text = "" } = given[at] ?? {};
				const pick = (label: string): void => {
					if (!question.multiple) return change(at, { chosen: [label] });
					change(at, {
						chosen: chosen.includes(label) ? chosen.filter((each) => each !== label) : [...chosen, label],
					});
				};
				return (
					<div class="question" key={question.id} role="group" aria-label={question.question}>
						<Markdown text={question.question} />
						{question.options.map(({ label, description }) => (
							<label key={label} class="option">
								<input
									type={question.multiple ? "checkbox" : "radio"}
									name={question.id}
									checked={chosen.includes(label)}
									onChange={() => pick(label)}
								/>
								<span>
									{label}
									{description !== undefined && <span class="muted"> {description}</span>}
								</span>
							</label>
						))}
						<TextField
							label="In your own words"
							placeholder={question.options.length > 0 ? "Or in your own words" : "Your answer"}
							isSecret={question.secret === true}
							value={text}
							onInput={(next) => change(at, { text: next })}
						/>
					</div>
				);
			})}
			<div class="choices">
				<button type="button" class="primary" disabled={!isComplete} onClick={send}>
					Answer
				</button>
				<button type="button" onClick={() => answer({ cancelled: true })}>
					Skip
				</button>
			</div>
		</div>
	);
}

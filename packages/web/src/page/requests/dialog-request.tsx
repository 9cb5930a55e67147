/** A dialog of a command or an extension: a list, a yes or no, a line, a text. */
import type { UserRequestOf } from "@tau/wire";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { TextField } from "../parts/text-field.tsx";
import type { Answer } from "./request-dock.tsx";
import { SelectDialog } from "./select-dialog.tsx";

export function DialogRequest({
	request: { dialog },
	answer,
}: {
	request: UserRequestOf<"dialog">;
	answer: Answer;
}): JSX.Element {
	if (dialog.method === "select") return <SelectDialog dialog={dialog} answer={answer} />;
	if (dialog.method === "confirm") {
		return (
			<div>
				<h2>{dialog.title}</h2>
				<p class="prose">{dialog.message}</p>
				<div class="choices">
					<button type="button" onClick={() => answer({ confirmed: true })}>
						Yes
					</button>
					<button type="button" onClick={() => answer({ confirmed: false })}>
						No
					</button>
				</div>
			</div>
		);
	}
	const isLine = dialog.method === "input";
	return (
		<TextDialog
			title={dialog.title}
			prefill={dialog.prefill ?? ""}
			placeholder={isLine ? (dialog.placeholder ?? "") : ""}
			isSecret={isLine && dialog.secret === true}
			isLine={isLine}
			answer={answer}
		/>
	);
}

interface TextProps {
	title: string;
	prefill: string;
	placeholder: string;
	isSecret: boolean;
	isLine: boolean;
	answer: Answer;
}

function TextDialog({ title, prefill, placeholder, isSecret, isLine, answer }: TextProps): JSX.Element {
	const [value, setValue] = useState(prefill);
	return (
		<div>
			<h2>{title}</h2>
			{isLine ? (
				<TextField
					label={title}
					value={value}
					placeholder={placeholder}
					isSecret={isSecret}
					isFirst
					onInput={setValue}
					onEnter={() => answer({ value })}
				/>
			) : (
				<textarea
					rows={8}
					aria-label={title}
					value={value}
					onInput={(event) => setValue(event.currentTarget.value)}
				/>
			)}
			<div class="choices">
				<button type="button" class="primary" onClick={() => answer({ value })}>
					OK
				</button>
				<button type="button" onClick={() => answer({ cancelled: true })}>
					Cancel
				</button>
			</div>
		</div>
	);
}

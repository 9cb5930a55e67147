/** A line of text, or a secret that is not shown. */
import type { JSX, TargetedInputEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface TextFieldProps {
	label: string;
	value: string;
	placeholder?: string;
	isSecret?: boolean;
	/** It has the focus as soon as it is there, and what is written replaces what was. */
	isFirst?: boolean;
	onInput(value: string): void;
	onEnter?(): void;
}

export function TextField({
	label,
	value,
	placeholder = "",
	isSecret = false,
	isFirst = false,
	onInput,
	onEnter,
}: TextFieldProps): JSX.Element {
	const field = useRef<HTMLInputElement>(null);
	useLayoutEffect(() => {
		if (isFirst) field.current?.focus();
	}, []);
	const shared = {
		ref: field,
		class: "own-words",
		"aria-label": label,
		placeholder,
		autoComplete: "off",
		value,
		onInput: (event: TargetedInputEvent<HTMLInputElement>) => onInput(event.currentTarget.value),
		onFocus: () => isFirst && field.current?.select(),
		onKeyDown: (event: KeyboardEvent) => {
			if (event.key !== "Enter" || event.isComposing || !onEnter) return;
			// The dialog closes at once: the rest of the key would press the button that gets the focus back.
			event.preventDefault();
			onEnter();
		},
	} as const;
	return isSecret ? <input type="password" {...shared} /> : <input type="text" {...shared} />;
}

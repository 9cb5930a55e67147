/** A dialog over the page: the browser keeps the focus inside, and gives it back. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface DialogProps {
	label: string;
	class?: string;
	onClose(): void;
	children: ComponentChildren;
}

export function Dialog({ label, class: name = "", onClose, children }: DialogProps): JSX.Element {
	const element = useRef<HTMLDialogElement>(null);
	// Before it is drawn, so that typing works as soon as it is visible.
	useLayoutEffect(() => {
		const dialog = element.current;
		dialog?.showModal();
		return () => dialog?.close();
	}, []);
	return (
		<dialog
			ref={element}
			class={`dialog ${name}`}
			aria-label={label}
			onCancel={(event) => {
				event.preventDefault();
				onClose();
			}}
			onClick={(event) => {
				if (event.target === element.current) onClose();
			}}
		>
			<div class="dialog-body">{children}</div>
		</dialog>
	);
}

/** The keys 1 to 9 choose an answer wherever the focus is in the question, but in a field. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

export function useNumberKeys(element: RefObject<HTMLElement | null>, choose: (at: number) => void): void {
	// As soon as the answers are visible: an effect after the frame would miss a key that is pressed at once.
	useLayoutEffect(() => {
		const section = element.current?.closest("section");
		const onKey = (event: KeyboardEvent): void => {
			const isField = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
			if (isField || !/^[1-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
			event.preventDefault();
			choose(Number(event.key) - 1);
		};
		section?.addEventListener("keydown", onKey);
		return () => section?.removeEventListener("keydown", onKey);
	});
}

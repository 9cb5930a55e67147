/** What the application asks of an editor; extensions may bring their own. */
import type { Component } from "../component.ts";
import type { AutocompleteProvider } from "./autocomplete.ts";
import type { Marker } from "./markers.ts";

export interface EditorComponent extends Component {
	getText(): string;
	setText(text: string): void;
	handleInput(data: string): void;
	/** The text was sent, with what stood in it as markers. */
	onSubmit?: ((text: string, markers?: Marker[]) => void) | undefined;
	onChange?: ((text: string) => void) | undefined;
	/** Keeps a text that was sent, for the arrows and the search. */
	addToHistory?(text: string): void;
	insertTextAtCursor?(text: string): void;
	/** The text with what its markers stand for. */
	getExpandedText?(): string;
	setAutocompleteProvider?(provider: AutocompleteProvider): void;
	borderColor?: (text: string) => string;
	setPaddingX?(padding: number): void;
	setAutocompleteMaxVisible?(maxVisible: number): void;
}

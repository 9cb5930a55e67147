/** The editor contract of the application; extensions may provide their own editor. */
import type { Component } from "../component.ts";
import type { AutocompleteProvider } from "./autocomplete.ts";
import type { Marker } from "./markers.ts";

export interface EditorComponent extends Component {
	getText(): string;
	setText(text: string): void;
	handleInput(data: string): void;
	/** The text was submitted, with the markers in it. */
	onSubmit?: ((text: string, markers?: Marker[]) => void) | undefined;
	onChange?: ((text: string) => void) | undefined;
	/** Adds a submitted text to the history, for the arrows and the search. */
	addToHistory?(text: string, markers?: readonly Marker[]): void;
	insertTextAtCursor?(text: string): void;
	/** The text with its markers expanded. */
	getExpandedText?(): string;
	setAutocompleteProvider?(provider: AutocompleteProvider): void;
	borderColor?: (text: string) => string;
	setPaddingX?(padding: number): void;
	setAutocompleteMaxVisible?(maxVisible: number): void;
}

/** The public interface of text fields. */
export { PasteReader } from "./paste-reader.ts";
export type {
	AutocompleteItem,
	AutocompleteProvider,
	AutocompleteSuggestions,
	FileSource,
	SlashCommand,
} from "./autocomplete.ts";
export { CombinedAutocompleteProvider } from "./combined-provider.ts";
export type { EditorComponent } from "./editor-component.ts";
export { Editor, type EditorHost, type EditorOptions, type EditorTheme } from "./editor.ts";
export { Input } from "./input.ts";
export { pasteMarker, pastesIn, type Marker } from "./markers.ts";
export type { VimMode } from "./vim/vim.ts";

/** The entry point of components: all that pi's main package has of them, by its names. */
import { BorderedLoader, DynamicBorder, getLanguageFromPath, keyText } from "@tau/tui";

import * as dialogs from "./dialogs.ts";
import * as executions from "./executions.ts";
import { FooterComponent } from "./footer.ts";
import { StatusLineComponent } from "./status-line.ts";
import { ArminComponent } from "./greeting.ts";
import * as messages from "./messages.ts";
import * as selectors from "./selectors.ts";
import { SettingsSelectorComponent } from "./settings-selector.ts";
import {
	getMarkdownTheme,
	getSelectListTheme,
	getSettingsListTheme,
	highlightCode,
	initTheme,
	keyHint,
	rawKeyHint,
	renderDiff,
	Theme,
	truncateToVisualLines,
} from "./theming.ts";

export function componentExports(): Record<string, unknown> {
	return {
		...messages,
		...executions,
		...selectors,
		...dialogs,
		ArminComponent,
		BorderedLoader,
		DynamicBorder,
		FooterComponent,
		StatusLineComponent,
		getLanguageFromPath,
		getMarkdownTheme,
		getSelectListTheme,
		getSettingsListTheme,
		highlightCode,
		initTheme,
		keyHint,
		keyText,
		rawKeyHint,
		renderDiff,
		SettingsSelectorComponent,
		Theme,
		truncateToVisualLines,
	};
}

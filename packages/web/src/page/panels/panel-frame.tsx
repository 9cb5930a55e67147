/** The panel beside the conversation; on a phone it lies over it. */
import type { ComponentType, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import { IconButton } from "../parts/icon.tsx";
import type { OpenSession } from "../store/open-session.ts";
import { guestPanels, panel, uncover, type PanelName } from "../store/overlay.ts";
import { ArtifactPanel } from "./artifact.tsx";
import { ChangesPanel } from "./changes.tsx";
import { ContextPanel } from "./context.tsx";
import { ModelsPanel } from "./models.tsx";
import { OverviewPanel } from "./overview.tsx";
import { RewindPanel } from "./rewind.tsx";
import { SettingsPanel } from "./settings.tsx";
import { TreePanel } from "./tree.tsx";

interface PanelRow {
	readonly title: string;
	readonly view: ComponentType<{ session: OpenSession }>;
}

export const panels: Readonly<Record<PanelName, PanelRow>> = {
	overview: { title: "Overview", view: OverviewPanel },
	context: { title: "Context", view: ContextPanel },
	tree: { title: "Tree", view: TreePanel },
	rewind: { title: "Rewind", view: RewindPanel },
	models: { title: "Models", view: ModelsPanel },
	changes: { title: "Changes", view: ChangesPanel },
	artifact: { title: "Artifact", view: ArtifactPanel },
	settings: { title: "Settings", view: SettingsPanel },
};

const tabs: readonly PanelName[] = ["overview", "changes", "context", "tree", "rewind"];

export function PanelFrame({ session, name }: { session: OpenSession; name: PanelName }): JSX.Element {
	const element = useRef<HTMLElement>(null);
	const { title, view: View } = panels[name];
	const shown = session.isGuest ? tabs.filter((each) => guestPanels.has(each)) : tabs;
	// Before it is drawn: a key after it was seen never goes elsewhere, and no field loses the focus again.
	useLayoutEffect(() => {
		const field = element.current?.querySelector<HTMLElement>("[autofocus]");
		(field ?? element.current?.querySelector("h2"))?.focus();
	}, [name]);
	return (
		<aside class={`panel panel-${name}`} aria-label={title} ref={element}>
			<header class="panel-head">
				<h2 tabIndex={-1}>{title}</h2>
				<IconButton icon="close" label="Close the panel" onClick={() => (panel.value = undefined)} />
			</header>
			<nav class="panel-tabs" aria-label="Panels">
				{shown.map((each) => (
					<button
						key={each}
						type="button"
						class="tab"
						aria-current={each === name ? "true" : undefined}
						onClick={() => (panel.value = each)}
					>
						{panels[each].title}
					</button>
				))}
			</nav>
			<div class="panel-body">
				<View session={session} />
			</div>
			{session.requests.value.length > 0 && (
				<button type="button" class="primary panel-question" onClick={uncover}>
					A question waits for you
				</button>
			)}
		</aside>
	);
}

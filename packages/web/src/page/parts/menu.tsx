/** What else can be done to a row of a list: a menu over the page, which a click elsewhere or Escape closes. */
import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";

import { IconButton } from "./icon.tsx";

export interface MenuAction {
	readonly label: string;
	run(): void;
}

interface MenuProps {
	label: string;
	class: string;
	actions: readonly MenuAction[];
}

export function Menu({ label, class: name, actions }: MenuProps): JSX.Element {
	const id = useId();
	const menu = useRef<HTMLDivElement>(null);
	const host = useRef<HTMLDivElement>(null);
	const [isOpen, setOpen] = useState(false);
	return (
		<div class="menu-host" ref={host}>
			<IconButton class={name} icon="more" label={label} popovertarget={id} aria-expanded={isOpen} />
			<div
				ref={menu}
				id={id}
				class="menu"
				popover="auto"
				onBeforeToggle={({ newState }) => {
					setOpen(newState === "open");
					if (menu.current && host.current) placeBeside(menu.current, host.current);
				}}
			>
				{isOpen &&
					actions.map((action) => (
						<button
							key={action.label}
							type="button"
							onClick={() => {
								menu.current?.hidePopover();
								action.run();
							}}
						>
							{action.label}
						</button>
					))}
			</div>
		</div>
	);
}

/** Below the button, or above it where the page ends: a list that scrolls would cut off what is in it. */
function placeBeside(menu: HTMLElement, button: HTMLElement): void {
	const { top, bottom, right } = button.getBoundingClientRect();
	const isAbove = bottom > window.innerHeight / 2;
	menu.style.insetBlock = isAbove ? `auto ${window.innerHeight - top}px` : `${bottom}px auto`;
	menu.style.insetInline = `auto ${document.documentElement.clientWidth - right}px`;
}

// Waits for a pending exit, which would also end the new full screen.

let leaving = null; // resolves once the window has left full screen

/** Resolves to whether the window is full screen; on some devices it never is. */
export async function enterFullScreen() {
  await leaving;
  return Boolean(await document.documentElement.requestFullscreen?.().then(() => true, () => false));
}

export function leaveFullScreen() {
  if (document.fullscreenElement) leaving = document.exitFullscreen().catch(() => {});
}

// A channel to a host in the calling thread.

import { Host, type HostParts } from './host.js';
import type { Channel, Listener } from './messages.js';

export function channelHere(parts: HostParts, listener: Listener): Channel {
  let host: Host | undefined = new Host(parts, (message) => {
    if (host) listener.message(message);
  });
  return {
    post: (message) => host?.receive(message),
    takesFlags: false,
    hold: () => {},
    // The memory returns when the garbage collector finds it.
    end: () => {
      host?.end();
      host = undefined;
      return Promise.resolve();
    },
  };
}

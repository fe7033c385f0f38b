"""The admins' console: pages of all labs, hosts, limits, images, the queue and the audit log.

Reads rows and writes wishes; nothing here ever touches an engine.
"""

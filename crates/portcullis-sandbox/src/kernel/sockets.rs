//! Sockets: descriptors passed with bytes, which kinds may be made, the loopback.

use std::{
    ffi::c_int,
    io,
    mem::{self, MaybeUninit},
    os::{
        fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
        unix::net::UnixStream,
    },
    ptr,
};

use super::{MOST_DESCRIPTORS, checked};

/// Sends bytes, and descriptors beside the first of them.
pub(crate) fn send(socket: &UnixStream, bytes: &[u8], descriptors: &[RawFd]) -> io::Result<usize> {
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut room = [0_u64; 1 + (MOST_DESCRIPTORS * 4 + 64) / 8];
    let descriptors =
        descriptors.get(..MOST_DESCRIPTORS.min(descriptors.len())).unwrap_or_default();
    let length = u32::try_from(size_of_val(descriptors)).unwrap_or(0);
    // SAFETY: the message points to buffers of ours that outlive it; the control buffer has room for the most descriptors, and is
    // aligned as its header must be.
    unsafe {
        let mut message: libc::msghdr = mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        if !descriptors.is_empty() {
            message.msg_control = room.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(length) as _;
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(length) as _;
            ptr::copy_nonoverlapping(
                descriptors.as_ptr().cast::<u8>(),
                libc::CMSG_DATA(header),
                size_of_val(descriptors),
            );
        }
        let sent = libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL);
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }
}

/// Receives bytes, and the descriptors that came with them, which are closed when another program is run.
pub(crate) fn receive(socket: &UnixStream, room: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut part = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() };
    let mut control = [0_u64; 1 + (MOST_DESCRIPTORS * 4 + 64) / 8];
    // SAFETY: the message points to buffers of ours that outlive it; the kernel wrote every header that is walked over, and each
    // descriptor in one is new and belongs to nobody else.
    unsafe {
        let mut message: libc::msghdr = mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        let got = loop {
            let got = libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC);
            match usize::try_from(got) {
                Ok(got) => break got,
                Err(_) => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        };
        let mut descriptors = Vec::new();
        let mut header = libc::CMSG_FIRSTHDR(&raw const message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET && (*header).cmsg_type == libc::SCM_RIGHTS {
                let bytes = (*header).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                let data = libc::CMSG_DATA(header).cast::<RawFd>();
                for index in 0..bytes / size_of::<RawFd>() {
                    descriptors.push(OwnedFd::from_raw_fd(ptr::read_unaligned(data.add(index))));
                }
            }
            header = libc::CMSG_NXTHDR(&raw const message, header);
        }
        Ok((got, descriptors))
    }
}

/// Why a descriptor from outside may not be handed in; nothing where it may. A directory leads past the view of the files, and so does
/// whatever is open without being read; a socket for datagrams sends to any address; of what is none of these kinds nobody knows what
/// it can do.
pub(crate) fn unfit(descriptor: BorrowedFd<'_>) -> io::Result<Option<&'static str>> {
    let mut found = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the structure is written whole where the call succeeds, and read only then.
    let (flags, mode) = unsafe {
        let flags = checked(libc::fcntl(descriptor.as_raw_fd(), libc::F_GETFL))?;
        checked(libc::fstat(descriptor.as_raw_fd(), found.as_mut_ptr()))?;
        (flags, found.assume_init().st_mode & libc::S_IFMT)
    };
    Ok(match mode {
        libc::S_IFDIR => {
            Some("it is a directory, and all that lies in and above it could be reached")
        }
        _ if flags & libc::O_PATH != 0 => Some("it names a file that it was not opened to read"),
        libc::S_IFREG | libc::S_IFIFO | libc::S_IFCHR => None,
        libc::S_IFSOCK => match socket_type(descriptor)? {
            libc::SOCK_STREAM | libc::SOCK_SEQPACKET => None,
            _ => Some("it is a socket that sends to any address"),
        },
        libc::S_IFBLK => Some("it is a disk"),
        _ => Some("it is neither a file, a pipe, a terminal nor a connection"),
    })
}

fn socket_type(socket: BorrowedFd<'_>) -> io::Result<c_int> {
    let mut kind: c_int = 0;
    let mut length = libc::socklen_t::try_from(size_of::<c_int>()).unwrap_or(0);
    // SAFETY: the number is as long as is said.
    checked(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TYPE,
            (&raw mut kind).cast(),
            &raw mut length,
        )
    })?;
    Ok(kind)
}

/// Makes a socket, or a pair of them, and closes it again: to see whether that is allowed.
pub(crate) fn may_have_socket(family: c_int, kind: c_int, pair: bool) -> bool {
    let mut ends = [-1; 2];
    // SAFETY: there is room for two; what was opened is closed, and belongs to nobody else.
    unsafe {
        let done = if pair {
            libc::socketpair(family, kind, 0, ends.as_mut_ptr())
        } else {
            libc::socket(family, kind, 0)
        };
        if done < 0 {
            return false;
        }
        let opened = if pair { ends } else { [done, -1] };
        for end in opened.into_iter().filter(|end| *end >= 0) {
            libc::close(end);
        }
        true
    }
}

/// Brings up the loopback of this network namespace, and gives a socket in it.
pub(super) fn loopback_up() -> io::Result<OwnedFd> {
    // SAFETY: the request is whole, and its name ends with a zero.
    unsafe {
        let socket =
            checked(libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0))?;
        let socket = OwnedFd::from_raw_fd(socket);
        let mut request: libc::ifreq = mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = (*from).cast_signed();
        }
        request.ifr_ifru.ifru_flags =
            libc::c_short::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or(0);
        checked(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request))?;
        Ok(socket)
    }
}
